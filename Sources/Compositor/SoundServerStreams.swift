import CPulse
import SystemCalls

/// The request to the sound server to end the streams of some processes.
enum SoundServerStreams {
    /// Ends the streams of some processes. Waits for the sound server.
    ///
    /// - Parameters:
    ///   - mustBeSilent: Returns whether the streams of a process must be ended. Called for each stream.
    ///   - deadline: The host time at which waiting ends.
    /// - Returns: The processes whose streams were ended; `nil` if there is no sound server, or it did not answer in
    ///   time.
    static func endStreams(while mustBeSilent: (Int32) -> Bool, until deadline: Int64) -> Set<Int32>? {
        guard let server = SoundServerConnection(until: deadline), let streams = server.streams() else { return nil }
        let matchingStreams = streams.filter { mustBeSilent($0.processID) }
        // Send all requests before waiting for the first answer.
        let requests = matchingStreams.map { pa_context_kill_sink_input(server.context, $0.index, nil, nil) }
        var isDone = true
        for request in requests { isDone = server.waitUntilDone(request) && isDone }
        return isDone ? Set(matchingStreams.map(\.processID)) : nil
    }
}
