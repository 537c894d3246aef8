import CompositorProtocol
import Testing

@testable import SwiftPlay

@Suite struct ProgramWindowsTests {
    private final class Object: Sendable {}
    private let objects = (0..<4).map { _ in Object() }
    private func id(_ number: Int) -> ObjectIdentifier { ObjectIdentifier(objects[number]) }

    @Test("all states of two windows, one of which may be in the floating window")
    func presenceFollowsTheMostProminentWindow() {
        let flags = [false, true]
        for shown in flags {
            for focused in flags {
                for fullScreen in flags {
                    for otherShown in flags {
                        for floating in flags {
                            var windows = ProgramWindows()
                            windows.windows[id(0)] = .init(
                                isShown: shown, isFocused: focused, isFullScreen: fullScreen, router: id(2))
                            windows.windows[id(1)] = .init(isShown: otherShown, router: id(3))
                            if floating { windows.floatingPictures[id(1)] = id(2) }
                            let counts = shown && !floating
                            let expected: ProgramPresence =
                                counts && (focused || fullScreen) ? .focused : counts || otherShown ? .shown : .hidden
                            #expect(windows.presence == expected)
                        }
                    }
                }
            }
        }
        #expect(ProgramWindows().presence == .noWindow)
    }
}
