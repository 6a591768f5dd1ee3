"""Create data/annotations.json (COCO-like). Images are rendered on the fly from the boxes."""
import json
import random
from pathlib import Path

random.seed(3)
images, annotations = [], []
for image_id in range(120):
    images.append({"id": image_id, "seed": random.randrange(10_000)})
    for _ in range(random.randint(1, 3)):
        w = random.randint(10, 28)
        annotations.append({
            "image_id": image_id,
            "category_id": random.randint(1, 3),
            "bbox": [random.randint(0, 63 - w), random.randint(0, 63 - w), w, w],
        })
out = {
    "categories": [{"id": 1, "name": "circle"}, {"id": 2, "name": "square"}, {"id": 3, "name": "triangle"}],
    "images": images,
    "annotations": annotations,
}
Path(__file__).with_name("annotations.json").write_text(json.dumps(out))
