import re
import zlib

_word = re.compile(r"[a-zäöüß]+")


def buckets(text, n_buckets):
    """Stable word hashing, so that no vocabulary file is needed."""
    return [zlib.crc32(w.encode()) % n_buckets for w in _word.findall(text.lower())]
