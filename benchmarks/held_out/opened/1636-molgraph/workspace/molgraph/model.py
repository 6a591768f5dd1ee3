import flax.linen as nn
import jax
import jax.numpy as jnp


class MessagePassing(nn.Module):
    features: int

    @nn.compact
    def __call__(self, h, senders, receivers):
        incoming = jnp.take(h, senders, axis=0)
        summed = jax.ops.segment_sum(incoming, receivers, num_segments=h.shape[0])
        degree = jax.ops.segment_sum(jnp.ones_like(receivers, h.dtype), receivers, h.shape[0])
        mean = summed / jnp.maximum(degree, 1.0)[:, None]
        out = nn.Dense(self.features)(h) + nn.Dense(self.features, use_bias=False)(mean)
        return nn.relu(nn.LayerNorm()(out))


class MoleculeClassifier(nn.Module):
    hidden: int
    layers: int
    n_graphs: int

    @nn.compact
    def __call__(self, batch):
        h = nn.Dense(self.hidden)(batch.nodes)
        for _ in range(self.layers):
            h = MessagePassing(self.hidden)(h, batch.senders, batch.receivers)
        pooled = jax.ops.segment_sum(h, batch.node_graph, num_segments=self.n_graphs + 1)
        count = jax.ops.segment_sum(jnp.ones(h.shape[0]), batch.node_graph, self.n_graphs + 1)
        pooled = pooled[:-1] / jnp.maximum(count[:-1], 1.0)[:, None]
        return nn.Dense(2)(pooled)
