import Foundation
import SystemCalls
import Testing

@testable import Compositor

@Suite struct StallTriggerTests {
    @Test("a trigger is set with its kind, the stall time and the length of the window, in microseconds")
    func triggerIsWrittenToTheFile() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("stalls-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data().write(to: URL(fileURLWithPath: path))
        let trigger = try #require(StallTrigger(path: path, kind: "some", stall: MemoryPressure.someStallLimit))
        // The kernel expects a text that ends with the byte 0.
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "some 100000 2000000\0")
        #expect(trigger.entry.descriptor >= 0)
    }

    @Test("without the kernel's file, and if the kernel refuses the trigger, there is none")
    func refusedTriggerIsNil() {
        #expect(StallTrigger(path: "/nonexistent/memory", kind: "full", stall: 1) == nil)
        #expect(StallTrigger(path: "/dev/full", kind: "full", stall: 1) == nil)
    }
}
