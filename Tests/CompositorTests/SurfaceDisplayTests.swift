import CompositorProtocol
import SystemCalls
import Testing
import WireFormat

@testable import Compositor

@Suite struct SurfaceDisplayTests {
    @Test("surfaces on the same display with the same authority share a location; surfaces without a display share one")
    func surfacesShareTheirLocation() {
        let location = SurfaceLocation(.x11(display: ":1", authority: "/a"))
        #expect(location == SurfaceLocation(.x11(display: ":1", authority: "/a")))
        #expect(location != SurfaceLocation(.x11(display: ":2", authority: "/a")))
        #expect(location != SurfaceLocation(.x11(display: ":1", authority: "/b")))
        let features = TerminalFeatures(colours: .direct, hasOnlyHalfBlocks: false)
        #expect(SurfaceLocation(.headless) == .noDisplay && SurfaceLocation(.terminal(features)) == .noDisplay)
    }

    @Test("a terminal without its descriptors, or with wrong shared memory, is a violation of the protocol")
    func terminalNeedsItsDescriptors() throws {
        let display = NullDisplay(), event = try EventDescriptor()
        let surface = ClientMessage.Surface.terminal(TerminalFeatures(colours: .palette, hasOnlyHalfBlocks: true))
        for count in [0, 3, 4, 5] {
            let descriptors = Array(repeating: event.descriptor, count: count)
            do throws(SurfaceFailure) {
                _ = try display.makeSurface(surface, descriptors)
                Issue.record("a surface with \(count) descriptors was created")
            } catch {
                guard case .protocolViolation(let violation) = error else {
                    Issue.record("\(error)")
                    continue
                }
                #expect((violation == MalformedMessage("a terminal lacks its descriptors")) == (count < 5))
            }
        }
    }

    @Test("a surface that draws nothing is open until it is closed, and needs no events")
    func headlessSurfaceNeedsNoEvents() throws {
        let display = NullDisplay()
        let surface = try display.makeSurface(.headless, [])
        #expect(!surface.isOpen)
        #expect(surface.open(.init(width: 16, height: 9), SurfaceOpenRequest()) == nil && surface.isOpen)
        #expect(surface.tick(now: .max).isEmpty && surface.nextTick == nil && surface.blockedDescriptor == nil)
        #expect(surface.beginReturnAnimation(to: .init(x: 0, y: 0, width: 1, height: 1)) == nil)
        surface.close()
        #expect(!surface.isOpen && !display.isLost && display.descriptor == -1)
        #expect(!display.processEvents(reading: true) { _, _ in Issue.record("an event was reported") })
    }
}
