"""What pygls is told to do otherwise: every request is answered, and nothing a client sends harms.

pygls leaves a request with wrong parameters, or one after `shutdown`, without an answer; it goes on
with cancelled ones, and logs what clients sent.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Generator
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import (
    FeatureNotificationError,
    FeatureRequestError,
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.json_rpc import MsgId
from pygls.protocol.language_server import lsp_method

from dl_bug_lsp.server.documents import Buffers

if TYPE_CHECKING:
    from dl_bug_lsp.server.app import DlBugServer

logger = logging.getLogger(__name__)


class Protocol(LanguageServerProtocol):
    """Reads messages, keeps the order of the server's life, answers; used on the loop's thread."""

    _server: DlBugServer

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.leave: Callable[[], None] = lambda: None
        self._is_initialized = False

    @property
    def was_shut_down(self) -> bool:
        """Say whether the client asked for an orderly end."""
        return self._shutdown

    def use_buffers(self) -> None:
        """Keep documents in our way; to be called at `initialize`."""
        encoding = self.workspace.position_encoding or types.PositionEncodingKind.Utf16
        self._workspace = Buffers(encoding)

    def take(self, body: bytes) -> None:
        """Handle one message; never raises."""
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            logger.warning("a message was not valid JSON")
            self._refuse(None, JsonRpcParseError("the message is not valid JSON"))
            return
        try:
            self._take(data)
        except Exception as error:
            logger.exception("a message could not be handled")
            self._server.tell_problem()
            number = data.get("id") if isinstance(data, dict) and "method" in data else None
            if number is not None:
                self._refuse(number, _internal(error))

    def _take(self, data: Any) -> None:
        if not isinstance(data, dict) or data.get("jsonrpc") != "2.0":
            logger.warning("a message was not one of JSON-RPC 2.0")
            number = data.get("id") if isinstance(data, dict) else None
            self._refuse(number, JsonRpcInvalidRequest("not a message of JSON-RPC 2.0"))
            return
        method, number = data.get("method"), data.get("id")
        early = method is not None and self._out_of_order(str(method))
        if early:
            if number is not None:
                self._refuse(number, early)
            return
        if method is not None and self.get_message_type(str(method)) is None:
            # pygls wants parameters of methods that it does not know; JSON-RPC lets them be absent.
            data.setdefault("params", None)
        try:
            message = self.structure_message(data)
        except JsonRpcException:
            logger.warning("the parameters of a message are not those of its method")
            if method is not None and number is not None:
                self._refuse(number, JsonRpcInvalidParams(f"wrong parameters of {method}"))
            return
        if method == types.INITIALIZE:
            self._is_initialized = True
        self.handle_message(message)

    def _out_of_order(self, method: str) -> JsonRpcException | None:
        """Return why a message does not fit the state that the server is in (LSP 3.17)."""
        if method == types.EXIT:
            return None
        if self._shutdown:
            return JsonRpcInvalidRequest("the server was shut down")
        if self._is_initialized and method == types.INITIALIZE:
            return JsonRpcInvalidRequest("the server is initialized already")
        if not self._is_initialized and method != types.INITIALIZE:
            return JsonRpcServerNotInitialized("the server is not initialized yet")
        return None

    def _refuse(self, number: Any, error: JsonRpcException) -> None:
        known = number if isinstance(number, (int, str)) else None
        answer = {"jsonrpc": "2.0", "id": known}
        reason = {"code": error.code, "message": error.message}
        if self.writer is not None:
            self.writer.write(json.dumps({**answer, "error": reason}).encode())

    def _handle_cancel_notification(self, msg_id: MsgId) -> None:
        self._server.jobs.cancel(msg_id)
        future = self._request_futures.pop(msg_id, None)
        if future is not None:
            future.cancel()

    def _execute_handler(
        self,
        msg_id: MsgId,
        handler: Callable[..., Any],
        callback: Callable[[Future[Any]], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Run a handler; what it came to is forgotten with its end.

        pygls keeps it for good, with the stack of an error, for each notification and each step of
        a request: under a number of its own, which no answer takes out.
        """

        def done(future: Future[Any]) -> None:
            if self._request_futures.get(msg_id) is future:
                del self._request_futures[msg_id]
            callback(future)

        super()._execute_handler(msg_id, handler, done, args, kwargs)

    def _send_handler_result(self, future: Future[Any], *, msg_id: MsgId) -> None:
        self._request_futures.pop(msg_id, None)
        if future.cancelled():
            error: BaseException | None = JsonRpcRequestCancelled("the request was cancelled")
        else:
            error = future.exception()
        if error is None:
            try:
                self._send_response(msg_id, result=future.result())
                return
            except Exception as raised:
                error = raised
        self._result_types.pop(msg_id, None)
        if not isinstance(error, JsonRpcException):
            logger.error("a request failed", exc_info=error)
            self._server.report_server_error(_internal(error), FeatureRequestError)
            error = _internal(error)
        self._send_response(msg_id, error=error.to_response_error())

    def _check_handler_result(self, future: Future[Any]) -> None:
        error = None if future.cancelled() else future.exception()
        if error is not None:
            logger.error("a notification could not be handled", exc_info=error)
            self._server.report_server_error(_internal(error), FeatureNotificationError)

    def cancel_open_requests(self) -> None:
        """Cancel all requests but the current one.

        pygls does so at shutdown while it walks over the table that each cancelled request leaves,
        which fails as soon as one is open; so it is done here, over a copy, before.
        """
        for number, future in list(self._request_futures.items()):
            if number != self.msg_id and not future.done():
                future.cancel()

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_arguments: Any) -> Generator[Any, Any, None]:
        """End the process, through `run`."""
        self.leave()
        yield from ()


def _internal(error: BaseException) -> JsonRpcInternalError:
    return JsonRpcInternalError(f"something went wrong in the server ({type(error).__name__})")
