"""Tag set and the alignment of word tags with word pieces."""
IGNORE = -100

TAGS = ["O", "B-NUM", "B-STREET", "I-STREET", "B-CITY", "I-CITY"]
TAG2ID = {t: i for i, t in enumerate(TAGS)}


def align(word_ids, tag_ids):
    """One label per word piece; only the first piece of a word is scored."""
    out = []
    previous = None
    for w in word_ids:
        if w is None:
            continue
        if w != previous:
            out.append(tag_ids[w])
        else:
            out.append(IGNORE)
        previous = w
    return out
