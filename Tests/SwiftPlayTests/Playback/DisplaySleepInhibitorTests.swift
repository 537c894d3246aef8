import TestSupport
import Testing

@testable import SwiftPlay

@Suite("DisplaySleepInhibitor")
struct DisplaySleepInhibitorTests {
    @Test("end() also releases an inhibition whose request the service has not answered yet", .measuresTime)
    func endReleasesAPendingInhibition() throws {
        let bus = try SessionBus(), screenSaver = try DesktopScreenSaver("/ScreenSaver", on: bus, replyDelay: 0.05)
        let inhibitor = DisplaySleepInhibitor(busAddress: bus.address)
        inhibitor.setInhibitionWanted(true)
        try screenSaver.waitForMethodCalls(count: 1)
        inhibitor.end()
        try screenSaver.waitForMethodCalls(count: 2)
        #expect(screenSaver.methodCalls.last == "UnInhibit 41")
    }

    @Test("end() releases an inhibition in effect and a later request inhibits again")
    func endReleasesAnInhibition() throws {
        let bus = try SessionBus(), screenSaver = try DesktopScreenSaver("/ScreenSaver", on: bus)
        let inhibitor = DisplaySleepInhibitor(busAddress: bus.address)
        for count in 1...2 {
            inhibitor.setInhibitionWanted(true)
            try screenSaver.waitForMethodCalls(count: 2 * count - 1)
            inhibitor.end()
            try screenSaver.waitForMethodCalls(count: 2 * count)
            #expect(screenSaver.methodCalls.last == "UnInhibit \(40 + count)")
        }
    }
}
