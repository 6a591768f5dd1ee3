import flax.linen as nn
import jax
import jax.numpy as jnp


class GraphConv(nn.Module):
    features: int

    @nn.compact
    def __call__(self, x, senders, receivers):
        n = x.shape[0]
        degree = jax.ops.segment_sum(jnp.ones_like(senders, x.dtype), receivers, n)
        norm = jax.lax.rsqrt(jnp.maximum(degree, 1.0))
        h = nn.Dense(self.features, use_bias=False)(x)
        messages = h[senders] * (norm[senders] * norm[receivers])[:, None]
        bias = self.param("bias", nn.initializers.zeros, (self.features,))
        return jax.ops.segment_sum(messages, receivers, n) + bias


class GCN(nn.Module):
    hidden: int
    num_classes: int
    dropout: float = 0.4

    @nn.compact
    def __call__(self, graph, train):
        h = GraphConv(self.hidden)(graph.x, graph.senders, graph.receivers)
        h = nn.BatchNorm(use_running_average=not train, momentum=0.9)(h)
        h = nn.relu(h)
        h = nn.Dropout(self.dropout, deterministic=not train)(h)
        return GraphConv(self.num_classes)(h, graph.senders, graph.receivers)
