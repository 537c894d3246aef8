import CPulse
import SystemCalls

/// The outputs (sinks) of the sound server: PulseAudio, or PipeWire in its place.
enum SoundServerDevices {
    /// The longest time that the server may take, in nanoseconds.
    private static let timeLimit: Int64 = 500_000_000

    /// Returns the server's outputs, with the names by which a plug-in of ALSA opens them. Empty without a sound server
    /// or libpulse, and if the server does not reply in time.
    static func devices(for plugin: Plugin) -> [AudioDevice] {
        var loadedFunctions = cpulse_functions()
        guard cpulse_load(&loadedFunctions) == 1 else { return [] }
        let functions = loadedFunctions
        guard let loop = functions.loop_new() else { return [] }
        defer { functions.loop_free(loop) }
        guard let context = functions.context_new(functions.loop_api(loop), "swiftplay") else { return [] }
        defer {
            functions.context_disconnect(context)
            functions.context_unref(context)
        }
        let deadline = MonotonicTime.now + timeLimit
        func wait(until isDone: () -> Bool) -> Bool {
            while !isDone() {
                let microseconds = (deadline - MonotonicTime.now) / 1000
                let state = functions.context_state(context)
                guard microseconds > 0, state != PA_CONTEXT_FAILED, state != PA_CONTEXT_TERMINATED,
                    functions.loop_prepare(loop, Int32(clamping: microseconds)) >= 0, functions.loop_poll(loop) >= 0,
                    functions.loop_dispatch(loop) >= 0
                else { return false }
            }
            return true
        }
        guard functions.context_connect(context, nil, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0,
            wait(until: { functions.context_state(context) == PA_CONTEXT_READY })
        else { return [] }
        let collector = Collector(plugin)
        let operation = functions.list_sinks(
            context,
            { _, sink, _, address in
                guard let sink = sink?.pointee, let address, let name = sink.name else { return }
                Unmanaged<Collector>.fromOpaque(address).takeUnretainedValue()
                    .add(String(cString: name), title: sink.description.map { String(cString: $0) } ?? "")
            }, Unmanaged.passUnretained(collector).toOpaque())
        guard let operation else { return [] }
        defer { functions.operation_unref(operation) }
        guard wait(until: { functions.operation_state(operation) != PA_OPERATION_RUNNING }) else { return [] }
        return collector.devices
    }

    /// The outputs that libpulse has reported so far, one after another.
    private final class Collector {
        private let plugin: Plugin
        var devices: [AudioDevice] = []

        init(_ plugin: Plugin) { self.plugin = plugin }

        /// Adds an output, unless ALSA could not parse its name as an argument.
        func add(_ name: String, title: String) {
            guard let name = plugin.deviceName(ofSink: name) else { return }
            devices.append(AudioDevice(name: name, title: title.split(separator: "\n").joined(separator: ", ")))
        }
    }

    /// A plug-in of ALSA that plays to an output of the sound server; the raw value is the name of its PCM.
    enum Plugin: String, CaseIterable {
        case pulse, pipewire

        /// Returns the name by which the plug-in opens an output of the server; nil if ALSA cannot parse the output's
        /// name as an argument.
        func deviceName(ofSink name: String) -> String? {
            let isPlain = name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: "._-+".utf8.contains(byte)
                }
            }
            guard isPlain, !name.isEmpty else { return nil }
            return self == .pulse ? "pulse:\(name)" : "pipewire:NODE=\(name)"
        }
    }
}
