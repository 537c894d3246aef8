import CompositorProtocol
import Testing

@testable import SwiftPlay

@Suite struct ProgramWindowsTests {
    /// An object whose identity stands for a window or a frame router.
    private final class Object: Sendable {}
    private let objects = (0..<4).map { _ in Object() }
    private func id(_ number: Int) -> ObjectIdentifier { ObjectIdentifier(objects[number]) }

    @Test("the more prominent of two windows determines the presence; a video in the floating window does not count")
    func presenceFollowsTheMostProminentWindow() {
        let flags = [false, true]
        for isShown in flags {
            for isFocused in flags {
                for isFullScreen in flags {
                    for isOtherShown in flags {
                        for isFloating in flags {
                            var windows = ProgramWindows()
                            windows.windows[id(0)] = .init(
                                isShown: isShown, isFocused: isFocused, isFullScreen: isFullScreen, router: id(2))
                            windows.windows[id(1)] = .init(isShown: isOtherShown, router: id(3))
                            if isFloating { windows.floatingPictures[id(1)] = id(2) }
                            let showsPicture = isShown && !isFloating
                            let expected: ProgramPresence =
                                showsPicture && (isFocused || isFullScreen)
                                ? .focused : showsPicture || isOtherShown ? .shown : .hidden
                            #expect(windows.presence == expected)
                        }
                    }
                }
            }
        }
        #expect(ProgramWindows().presence == .noWindow)
    }
}
