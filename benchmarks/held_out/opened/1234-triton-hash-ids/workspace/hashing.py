import zlib

import torch


def feature_id(field, value, buckets):
    key = f"{field}={value}".encode()
    return zlib.crc32(key)


def encode_rows(rows, fields, buckets):
    ids = [[feature_id(f, row[f], buckets) for f in fields] for row in rows]
    return torch.tensor(ids, dtype=torch.int64)
