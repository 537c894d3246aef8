import CXCB
import CXTest

extension XConnection {
    /// Presses keys one after the other and then releases them, as a keyboard does (XTest): modifiers first.
    ///
    /// - Parameter keys: key codes as evdev's X servers count them: 24 is the key Q of an American keyboard.
    package func press(_ keys: UInt8...) {
        for key in keys { fake(XCB_KEY_PRESS, key) }
        for key in keys.reversed() { fake(XCB_KEY_RELEASE, key) }
        xcb_flush(raw)
    }

    private func fake(_ type: Int32, _ key: UInt8) { xcb_test_fake_input(raw, UInt8(type), key, 0, 0, 0, 0, 0) }
}
