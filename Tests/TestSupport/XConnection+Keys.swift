import CXCB
import CXTest

extension XConnection {
    /// Simulates that the user presses keys one after the other and then releases them in reverse order, through the
    /// XTest extension.
    ///
    /// - Parameter keys: X key codes of the evdev driver, modifier keys first; 24 is the key Q of an American keyboard.
    package func press(_ keys: UInt8...) {
        for key in keys { simulateKeyEvent(XCB_KEY_PRESS, key) }
        for key in keys.reversed() { simulateKeyEvent(XCB_KEY_RELEASE, key) }
        xcb_flush(raw)
    }

    /// Simulates the press or the release of a key through the XTest extension.
    private func simulateKeyEvent(_ type: Int32, _ key: UInt8) {
        xcb_test_fake_input(raw, UInt8(type), key, 0, 0, 0, 0, 0)
    }
}
