import CCurl
import SystemCalls

/// libcurl's handle of all requests, with the sockets that libcurl polls. Used only by the thread `transfer`.
final class CurlMulti {
    /// libcurl's multi handle; owned by this object.
    private let handle: UnsafeMutableRawPointer
    /// The polled descriptors of the thread.
    private let polling: PollingSet
    /// The host time at which ``handleTimeout()`` must be called, in nanoseconds; nil if libcurl waits for sockets.
    private(set) var deadline: Int64?

    /// The maximum number of idle connections that are kept for further requests.
    private static let idleConnectionLimit = 16

    /// Initialises libcurl once per process.
    private static let globalInitialization = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// Creates a handle; nil if memory is exhausted.
    init?(_ polling: PollingSet) {
        _ = Self.globalInitialization
        guard let handle = curl_multi_init() else { return nil }
        (self.handle, self.polling) = (handle, polling)
        ccurl_multi_set_integer(handle, CURLMOPT_MAXCONNECTS, Self.idleConnectionLimit)
        ccurl_multi_set_integer(handle, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_multi_set_socket_callback(
            handle,
            { _, socket, action, context, _ in
                guard let context else { return -1 }
                Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue().poll(socket, action)
                return 0
            }, context)
        ccurl_multi_set_timer_callback(
            handle,
            { _, milliseconds, context in
                guard let context else { return -1 }
                Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue().deadline =
                    milliseconds < 0 ? nil : MonotonicTime.now + Int64(milliseconds) * 1_000_000
                return 0
            }, context)
    }

    deinit { curl_multi_cleanup(handle) }

    /// Starts a request. Returns false if memory is exhausted.
    func add(_ request: CurlRequest) -> Bool { curl_multi_add_handle(handle, request.handle) == CURLM_OK }

    /// Ends a request, or releases a finished one.
    func remove(_ request: CurlRequest) { curl_multi_remove_handle(handle, request.handle) }

    /// Continues the requests that use a ready socket.
    func handle(_ ready: Epoll.Ready) {
        var mask: Int32 = 0
        if ready.events.contains(.readable) { mask |= CURL_CSELECT_IN }
        if ready.events.contains(.writable) { mask |= CURL_CSELECT_OUT }
        if !ready.events.isDisjoint(with: [.failed, .hungUp]) { mask |= CURL_CSELECT_IN | CURL_CSELECT_ERR }
        var runningCount: Int32 = 0
        curl_multi_socket_action(handle, ready.descriptor, mask, &runningCount)
    }

    /// Continues the requests whose timers have expired.
    func handleTimeout() {
        deadline = nil
        var runningCount: Int32 = 0
        curl_multi_socket_action(handle, CURL_SOCKET_TIMEOUT, 0, &runningCount)
    }

    /// Returns the next finished request and its result; nil if no other request has finished.
    func nextResult() -> (handle: UnsafeMutableRawPointer, result: CURLcode)? {
        var remainingCount: Int32 = 0
        while let message = curl_multi_info_read(handle, &remainingCount) {
            guard message.pointee.msg == CURLMSG_DONE, let easyHandle = message.pointee.easy_handle else { continue }
            return (easyHandle, message.pointee.data.result)
        }
        return nil
    }

    /// Polls a socket for what libcurl waits for.
    private func poll(_ socket: Int32, _ action: Int32) {
        switch action {
        case CURL_POLL_IN: polling.set(socket, .readable)
        case CURL_POLL_OUT: polling.set(socket, .writable)
        case CURL_POLL_INOUT: polling.set(socket, [.readable, .writable])
        default: polling.remove(socket)
        }
    }
}

/// The descriptors that the thread `transfer` polls, shared by its loop and ``CurlMulti``.
final class PollingSet {
    private let epoll: Epoll

    /// Creates an empty set.
    init() throws(SystemCallError) { epoll = try Epoll() }

    /// Adds a descriptor, or changes its events. If memory is exhausted, the transfer becomes too slow and fails.
    func set(_ descriptor: Int32, _ events: Poll.Events) { try? epoll.set(descriptor, events) }

    /// Removes a descriptor.
    func remove(_ descriptor: Int32) { epoll.remove(descriptor) }

    /// Waits until a descriptor is ready or until `deadline`, a host time in nanoseconds.
    func wait(until deadline: Int64?) throws(SystemCallError) -> [Epoll.Ready] { try epoll.wait(until: deadline) }
}
