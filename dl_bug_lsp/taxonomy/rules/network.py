"""Rules for processes, nodes and services that cannot talk to each other."""

from __future__ import annotations

from dl_bug_lsp.taxonomy.classification_context import ClassificationContext
from dl_bug_lsp.taxonomy.rules.classification_rule import Rule, rule

LINK = "communication_failure"


def _network_class(context: ClassificationContext) -> bool:
    """TimeoutError of a queue or a lock is no network failure."""
    return not context.raised_in("queue", "threading")


RULES: tuple[Rule, ...] = (
    rule(
        "platform.port",
        LINK,
        "address already in use",
        "eaddrinuse",
        "errno: 98",
        "[errno 98]",
        "port…already in use",
        "cannot assign requested address",
        "[errno 99]",
        "the server socket has failed to listen",
        "the client socket has timed out",
        "the client socket has failed to connect",
        "the server socket has failed to bind",
    ),
    rule(
        "platform.answer",
        LINK,
        "environment took too long to respond",
        "server took too long to respond",
        "(<response [408",
        "(<response [429",
        "(<response [5",
        confidence=0.5,
    ),
    rule(
        "platform.request_refused",
        "illegal_argument",
        "(<response [400",
        "(<response [404",
        "(<response [422",
        confidence=0.5,
    ),
    rule(
        "platform.collective",
        LINK,
        "tensors were submitted to be reduced",
        "nccl error",
        "ncclsystemerror",
        "ncclinternalerror",
        "ncclremoteerror",
        "ncclunhandledcudaerror",
        "ncclinvalidusage",
        "nccl communicator was aborted",
        "nccl operation…failed",
        "nccl watchdog",
        "watchdog got stuck",
        "context deadline exceeded",
        "couldn't communicate with backend",
        "run initialization has timed out",
        "collective operation timeout",
        "heartbeat monitor timed out",
        "connection closed by peer",
        "connection reset by peer",
        "connection refused",
        "broken pipe",
        "network is unreachable",
        "no route to host",
        "connection timed out",
        "connection aborted",
        "timed out waiting for clients",
        "timed out after…waiting for",
        "timed out waiting…for recv operation",
        "wait timeout after…ms",
        "timed out initializing process group",
        "failed to recv, got 0 bytes",
        "store timeout",
        "socket timeout",
        "socket timed out",
        "tcpstore",
        "gloo connectfullmesh failed",
        "[enforce fail at…gloo",
        "gloo/transport/tcp",
        "rendezvoustimeouterror",
        "rendezvousconnectionerror",
        "the connection to the c10d store has failed",
        "detected mismatch between collectives on ranks",
        "monitoredbarrier",
        "deadline_exceeded",
        "deadlineexceeded",
        "barrier timed out",
        "failed to connect to all addresses",
        "coordination service",
        "heartbeat timeout",
        "name or service not known",
        "temporary failure in name resolution",
        "nodename nor servname provided",
        "getaddrinfo failed",
        "failed to resolve",
        "max retries exceeded with url",
        "failed to establish a new connection",
        "read timed out",
        "remote end closed connection",
        "we couldn't connect to",
        "couldn't reach",
        "offline mode is enabled",
        "urlopen error",
        "ssl: certificate_verify_failed",
        "certificate verify failed",
        "service unavailable",
        "bad gateway",
        "gateway time-out",
        "too many requests",
        "http error 429",
        "http error 500",
        "http error 502",
        "http error 503",
        "500 server error",
        "502 server error",
        "503 server error",
        "504 server error",
        "429 client error",
        "incompleteread",
        "network connection error",
        "ssh: connect to host",
        "connection to…lost",
        unless=("http error 404", "no such file or directory: 'nccl"),
    ),
    rule(
        "platform.link_class",
        LINK,
        types="ConnectionError ConnectionRefusedError ConnectionResetError ConnectionAbortedError "
        "BrokenPipeError DistNetworkError DistStoreError DistBackendError "
        "ConnectTimeout ReadTimeout "
        "ConnectTimeoutError ReadTimeoutError RendezvousTimeoutError RendezvousConnectionError "
        "ProtocolError SSLError ChunkedEncodingError gaierror RemoteDisconnected IncompleteRead "
        "NewConnectionError MaxRetryError UnavailableError DeadlineExceededError NcclError "
        "OfflineModeIsEnabled ProxyError EndpointConnectionError ConnectError URLError "
        "ServiceUnavailable LocalEntryNotFoundError TimeoutError DistributedTimeoutError",
        when=_network_class,
        confidence=0.8,
    ),
)
