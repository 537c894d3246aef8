import SystemCalls
import TestSupport
import Testing

extension InterruptionTests {
    @Test("if two programs activate their sessions at the same time, exactly one of them ends up active")
    func exactlyOneOfTwoSimultaneousActivationsStaysActive() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let video = try setup.startProbe(.video), otherVideo = try setup.startProbe(.otherVideo)
            for turn in 1...20 {
                try video.send("activate")
                try otherVideo.send("activate")
                let lines = [
                    try video.wait(for: "ok activate", times: turn),
                    try otherVideo.wait(for: "ok activate", times: turn),
                ]
                let durations = lines.compactMap {
                    $0.text.split(separator: " ").dropFirst(2).first.flatMap { Int($0) }
                }
                #expect(durations.count == 2)
                // One of the two programs interrupts the other. The interrupted program may receive the interruption
                // only after both activations have succeeded, so wait until one session is inactive.
                let isSettled = Deadline.poll(for: .seconds(30)) {
                    let states = try? [video.state(), otherVideo.state()].map { $0.value("active") }
                    return states?.count { $0 == "true" } == 1 ? true : nil
                }
                #expect(isSettled == true)
                try video.send("deactivate notify")
                try otherVideo.send("deactivate notify")
                try video.wait(for: "ok deactivate", times: turn)
                try otherVideo.wait(for: "ok deactivate", times: turn)
            }
        }
    }
}
