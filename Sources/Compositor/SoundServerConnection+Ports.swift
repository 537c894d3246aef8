import CPulse
import SystemCalls

extension SoundServerConnection {
    /// The result that a PulseAudio callback passes to the thread that waits for it.
    private final class CallbackResult<Value> {
        /// The callback's result; `nil` until the callback delivers it.
        var value: Value?
        /// The address of this object, which PulseAudio passes to the callback.
        var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
        /// Returns the object at an address from ``pointer``.
        static func at(_ pointer: UnsafeMutableRawPointer?) -> CallbackResult? {
            pointer.map { Unmanaged<CallbackResult>.fromOpaque($0).takeUnretainedValue() }
        }
    }

    /// Returns the ports of a sound server's output. Waits for the server.
    ///
    /// - Parameter sink: The sound server's name for the output; `nil` for the default output.
    /// - Returns: The ports; `nil` if there is no such output or the server does not answer in time.
    func ports(of sink: String? = nil) -> OutputPorts? {
        guard let sink = sink ?? defaultSink else { return nil }
        let result = CallbackResult<OutputPorts>()
        // `result` outlives the operation: `waitUntilDone` completes or cancels it.
        let operation = pa_context_get_sink_info_by_name(
            context, sink,
            { _, info, _, result in
                guard let info = info?.pointee, let name = info.name else { return }
                let ports = (0..<Int(info.n_ports)).compactMap {
                    info.ports?[$0].flatMap { OutputPorts.Port($0.pointee) }
                }
                let activePort = info.active_port?.pointee.name.map { String(cString: $0) }
                CallbackResult<OutputPorts>.at(result)?.value = OutputPorts(
                    sink: String(cString: name), ports: ports, activePort: activePort)
            }, result.pointer)
        return withExtendedLifetime(result) { waitUntilDone(operation) ? result.value : nil }
    }

    /// The sound server's name for its default output; `nil` if there is none or the server does not answer in time.
    private var defaultSink: String? {
        let result = CallbackResult<String>()
        let operation = pa_context_get_server_info(
            context,
            { _, info, result in
                CallbackResult<String>.at(result)?.value = info?.pointee.default_sink_name.map { String(cString: $0) }
            }, result.pointer)
        return withExtendedLifetime(result) { waitUntilDone(operation) ? result.value : nil }
    }

    /// Switches an output to one of its ports. Waits for the server.
    ///
    /// - Returns: Whether the server has switched the port.
    func setPort(_ port: String, of sink: String) -> Bool {
        let result = CallbackResult<Bool>()
        let operation = pa_context_set_sink_port_by_name(
            context, sink, port,
            { _, isDone, result in
                CallbackResult<Bool>.at(result)?.value = isDone != 0
            }, result.pointer)
        return withExtendedLifetime(result) { waitUntilDone(operation) && result.value == true }
    }
}

extension OutputPorts.Port {
    /// Reads the server's description of a port.
    fileprivate init?(_ info: pa_sink_port_info) {
        guard let name = info.name.map({ String(cString: $0) }) else { return nil }
        self.init(
            name: name,
            // Servers before PulseAudio 14 do not report the type of a port.
            isSpeaker: info.type == PA_DEVICE_PORT_TYPE_SPEAKER.rawValue
                || info.type == PA_DEVICE_PORT_TYPE_UNKNOWN.rawValue && name.includes("speaker"),
            isUnavailable: info.available == Int32(PA_PORT_AVAILABLE_NO.rawValue))
    }
}
