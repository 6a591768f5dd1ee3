from sklearn.metrics import classification_report


def report(logp, graph, names):
    pred = logp.argmax(1)[graph.test_mask]
    true = graph.y[graph.test_mask]
    return classification_report(true.numpy(), pred.numpy(), target_names=names, zero_division=0)
