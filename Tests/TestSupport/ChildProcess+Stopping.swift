import Foundation
import Glibc

extension ChildProcess {
    /// Stops the program with `SIGSTOP` at a moment at which all of its threads sleep. Therefore the program has no
    /// rendered audio that it has not yet sent; such audio would be played when the program continues.
    ///
    /// - Throws: ``TestFailure`` if no such moment was found within 10 seconds.
    package func stopWhileSleeping() throws {
        let isStopped = Deadline.poll(for: .seconds(10), every: .milliseconds(1)) { () -> Bool? in
            let countsBeforeStop = voluntarySwitchCounts(inState: "S")
            guard let countsBeforeStop else { return nil }
            signal(SIGSTOP)
            let countsAfterStop = Deadline.poll(for: .seconds(5), every: .milliseconds(1)) {
                voluntarySwitchCounts(inState: "T")
            }
            // To stop, each thread wakes once. A thread that woke more often was running when the signal arrived.
            if let countsAfterStop, countsAfterStop == countsBeforeStop.mapValues({ $0 + 1 }) { return true }
            signal(SIGCONT)
            return nil
        }
        guard isStopped == true else { throw TestFailure("the threads of \(program) never slept at the same time") }
    }

    /// Returns how often each thread has waited so far, by thread identifier; nil unless all threads are in the
    /// scheduling state `state` of `/proc` (`S`: sleeping, `T`: stopped).
    private func voluntarySwitchCounts(inState state: Character) -> [String: Int]? {
        let folder = "/proc/\(pid)/task"
        guard let threads = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return nil }
        var switchCountsByThread: [String: Int] = [:]
        for thread in threads {
            let file = "\(folder)/\(thread)/status"
            guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
            let fields = text.split(separator: "\n").map { $0.split(whereSeparator: { $0 == ":" || $0 == "\t" }) }
            guard fields.first(where: { $0.first == "State" })?.dropFirst().first?.first == state,
                let count = fields.first(where: { $0.first == "voluntary_ctxt_switches" })?.last.flatMap({ Int($0) })
            else { return nil }
            switchCountsByThread[thread] = count
        }
        return switchCountsByThread
    }
}
