import CPulse
import SystemCalls

/// One visit at the sound server that ends the streams of some processes there.
enum SoundServerVisit {
    /// - Parameter deadline: host time at which it gives up.
    /// - Returns: the processes whose streams it ended; nil when there is no sound server, or it did not answer in
    ///   time.
    static func endStreams(of processes: Set<Int32>, until deadline: Int64) -> Set<Int32>? {
        guard let server = SoundServerConnection(until: deadline), let streams = server.streams() else { return nil }
        let found = streams.filter { processes.contains($0.process) }
        // All requests are on their way before the first answer is waited for.
        let requests = found.map { pa_context_kill_sink_input(server.context, $0.index, nil, nil) }
        var isDone = true
        for request in requests { isDone = server.finish(request) && isDone }
        return isDone ? Set(found.map(\.process)) : nil
    }
}
