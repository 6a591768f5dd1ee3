import numpy as np

from .graph import Graph


def make_citations(n_nodes=900, n_topics=5, n_words=120, mean_links=2.2, seed=0):
    """Papers cite mostly within their topic; words are drawn per topic."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(0, n_topics, n_nodes)
    word_prob = rng.dirichlet(np.full(n_words, 0.2), n_topics)
    words = np.stack([rng.multinomial(25, word_prob[t]) for t in topic]).astype(np.float32)

    src, dst = [], []
    members = [np.flatnonzero(topic == t) for t in range(n_topics)]
    for i in range(n_nodes):
        for _ in range(rng.poisson(mean_links)):
            pool = members[topic[i]] if rng.random() < 0.8 else np.arange(n_nodes)
            j = int(rng.choice(pool))
            if j != i:
                src.append(i)
                dst.append(j)
    role = rng.choice(3, n_nodes, p=[0.2, 0.2, 0.6])
    return Graph(
        x=words / words.sum(1, keepdims=True),
        y=topic,
        senders=np.array(src + dst, np.int32),
        receivers=np.array(dst + src, np.int32),
        train_mask=role == 0,
        val_mask=role == 1,
    )
