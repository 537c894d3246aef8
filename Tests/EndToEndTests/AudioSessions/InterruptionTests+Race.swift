import SystemCalls
import TestSupport
import Testing

extension InterruptionTests {
    @Test("S20: of two that begin at once exactly one is heard at last")
    func race() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let video = try stage.actor(.video), other = try stage.actor(.otherVideo)
            for turn in 1...20 {
                try video.tell("activate")
                try other.tell("activate")
                let answers = [
                    try video.wait(for: "ok activate", times: turn), try other.wait(for: "ok activate", times: turn),
                ]
                let took = answers.compactMap { $0.text.split(separator: " ").dropFirst(2).first.flatMap { Int($0) } }
                #expect(took.count == 2)
                let states = [try video.state(), try other.state()].map { $0.value("active") }
                #expect(states.count { $0 == "true" } == 1, "\(states)")
                try video.tell("deactivate notify")
                try other.tell("deactivate notify")
                try video.wait(for: "ok deactivate", times: turn)
                try other.wait(for: "ok deactivate", times: turn)
            }
        }
    }
}
