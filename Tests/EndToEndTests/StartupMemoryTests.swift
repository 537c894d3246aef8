import SystemCalls
import TestSupport
import Testing

/// Tests that the processes release memory that they need only at startup or for an animation.
@Suite("Memory after startup and animations")
struct StartupMemoryTests {
    /// Returns a memory size from `/proc/PID/status`, in kB.
    private func memorySize(_ name: String, of process: ProcessHandle) -> Int? {
        let line = process.text(of: "status")?.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line.flatMap { Int($0.split(whereSeparator: \.isWhitespace)[1]) }
    }

    @Test("some seconds after startup, player and compositor use at least 10 % less memory than at their peak")
    func processesReleaseStartupMemory() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"])
            for processID in [try player.compositorPID(), player.child.pid] {
                let process = try ProcessHandle(processID)
                var residentSize = 0, peakResidentSize = 0
                let isReleased = Deadline.poll(for: .seconds(15)) { () -> Bool? in
                    (residentSize, peakResidentSize) = (
                        memorySize("VmRSS", of: process) ?? 0, memorySize("VmHWM", of: process) ?? 0
                    )
                    return residentSize > 0 && residentSize * 10 < peakResidentSize * 9 ? true : nil
                }
                #expect(isReleased == true, "process \(processID): \(residentSize) kB, at most \(peakResidentSize) kB")
            }
            try player.quit()
        }
    }

    @Test("some seconds after the last program has left, the background service uses less memory than at its peak")
    func theBackgroundServiceReleasesStartupMemory() throws {
        let fixture = try BackgroundFixture()
        #expect(try fixture.listing() == "no transfers\n")
        let service = try ProcessHandle(try #require(fixture.ledgerProcess))
        var residentSize = 0, peakResidentSize = 0
        let isReleased = Deadline.poll(for: .seconds(15)) { () -> Bool? in
            residentSize = memorySize("VmRSS", of: service) ?? 0
            peakResidentSize = memorySize("VmHWM", of: service) ?? 0
            return residentSize > 0 && residentSize * 10 < peakResidentSize * 9 ? true : nil
        }
        #expect(isReleased == true, "\(residentSize) kB, at most \(peakResidentSize) kB")
    }

    @Test("after the return from Picture-in-Picture, the compositor has released the pictures of the animations")
    func compositorReleasesThePicturesOfAnimations() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"])
            let compositor = try ProcessHandle(player.compositorPID())
            let sizeBefore = try #require(memorySize("RssAnon", of: compositor))
            for _ in 0..<3 {
                try player.enterPictureInPicture()
                try player.leavePictureInPicture()
            }
            var size = 0
            // The picture of an animation has 3 600 kB.
            let isReleased = Deadline.poll(for: .seconds(10)) { () -> Bool? in
                size = memorySize("RssAnon", of: compositor) ?? .max
                return size < sizeBefore + 3600 ? true : nil
            }
            #expect(isReleased == true, "\(size) kB, before Picture-in-Picture \(sizeBefore) kB")
            try player.quit()
        }
    }
}
