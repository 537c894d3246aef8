import CXCB
import Foundation
import SharedFrames
import SystemCalls
import TestSupport
import Testing

import class VideoOutput.XConnection

@testable import VideoOutput

/// Tests of the names of pressed keys, with key events of a real X server and layouts set by `setxkbmap`.
@Suite struct XKeyboardTests {
    private let display: PrivateXServer
    /// The X connection that simulates key presses.
    private let inputConnection: TestSupport.XConnection

    // X key codes, named after the keys of an American keyboard.
    private let qKey: UInt8 = 24, eKey: UInt8 = 26, yKey: UInt8 = 29, pKey: UInt8 = 33, sevenKey: UInt8 = 16
    private let bracketKey: UInt8 = 34, shiftKey: UInt8 = 50, controlKey: UInt8 = 37, altKey: UInt8 = 64
    private let capsLockKey: UInt8 = 66, altGrKey: UInt8 = 108, menuKey: UInt8 = 135, leftKey: UInt8 = 113
    private let tabKey: UInt8 = 23, keypadSevenKey: UInt8 = 79, numLockKey: UInt8 = 77
    private let slashKey: UInt8 = 61, keypadMultiplyKey: UInt8 = 63

    init() throws {
        display = try PrivateXServer()
        inputConnection = try TestSupport.XConnection(display: display.name)
        try setLayout("us")
    }

    /// Sets the keyboard layout of the X server.
    private func setLayout(_ layout: String, option: String = "") throws {
        let options = ["-option", "", "-option", option]
        try run("setxkbmap", ["-display", display.name, "-layout", layout] + options)
    }

    /// A focused window that reports the names of the keys it receives.
    private final class KeyReader {
        private let connection: XConnection
        private let window: XWindow
        private let keyboard: XKeyboard

        init(_ connection: XConnection) {
            self.connection = connection
            keyboard = XKeyboard(connection: connection)
            let frame = PixelRect(x: 0, y: 0, width: 64, height: 64)
            window = XWindow(connection: connection, frame: frame, isUnmanaged: true)
            window.map()
            window.takeFocus(at: 0)
            connection.sync()
        }

        /// Returns the names of the keys pressed next, up to and including `lastKey`. Keys without a name are skipped.
        func keys(until lastKey: String) throws -> [String] {
            var names: [String] = []
            let deadline = Deadline.after(.seconds(20))
            while names.last != lastKey {
                guard let event = xcb_poll_for_event(connection.pointer) else {
                    var entries = [Poll.Entry(connection.descriptor)]
                    guard try Poll.wait(&entries, until: deadline) else {
                        throw TestFailure("no \(lastKey) after \(names)")
                    }
                    continue
                }
                defer { free(event) }
                let isKey = Int32(event.pointee.response_type & 0x7f) == XCB_KEY_PRESS
                guard !keyboard.handle(event), isKey else { continue }
                let name = event.withMemoryRebound(to: xcb_key_press_event_t.self, capacity: 1) {
                    keyboard.name(of: $0.pointee)
                }
                if let name { names.append(name) }
            }
            return names
        }
    }

    /// Returns a reader of keys with a focused window on the private X server.
    private func makeKeyReader() throws -> KeyReader { KeyReader(try XConnection(display: display.name)) }

    @Test("A layout change applies to the next key")
    func layoutChangeAppliesToTheNextKey() throws {
        let reader = try makeKeyReader()
        inputConnection.press(yKey)
        inputConnection.press(leftKey)
        #expect(try reader.keys(until: "LEFT") == ["y", "LEFT"])
        try setLayout("de")
        inputConnection.press(yKey)
        inputConnection.press(bracketKey)
        inputConnection.press(altGrKey, sevenKey)
        inputConnection.press(leftKey)
        #expect(try reader.keys(until: "LEFT") == ["z", "ü", "{", "LEFT"])
        // The keyboard layout changes twice in immediate succession.
        try setLayout("fr")
        try setLayout("us")
        inputConnection.press(qKey)
        inputConnection.press(leftKey)
        #expect(try reader.keys(until: "LEFT") == ["q", "LEFT"])
    }

    @Test("A layout switched by a key applies, and a non-Latin key has the Latin letter of another configured layout")
    func switchedLayoutAppliesAndOtherScriptsUseLatinLetters() throws {
        let reader = try makeKeyReader()
        try setLayout("us,de", option: "grp:menu_toggle")
        inputConnection.press(yKey)
        inputConnection.press(menuKey)
        inputConnection.press(yKey)
        inputConnection.press(menuKey)
        inputConnection.press(yKey)
        inputConnection.press(leftKey)
        #expect(try reader.keys(until: "LEFT") == ["y", "z", "y", "LEFT"])
        try setLayout("ru,us", option: "grp:menu_toggle")
        // In the Russian layout, the key labelled "/" on American keyboards types a full stop.
        for _ in 0..<2 {
            inputConnection.press(qKey)
            inputConnection.press(shiftKey, pKey)
            inputConnection.press(controlKey, yKey)
            inputConnection.press(slashKey)
            inputConnection.press(menuKey)
        }
        inputConnection.press(leftKey)
        #expect(try reader.keys(until: "LEFT") == ["q", "P", "ctrl+y", ".", "q", "P", "ctrl+y", "/", "LEFT"])
        try setLayout("ru")
        inputConnection.press(qKey)
        inputConnection.press(leftKey)
        #expect(try reader.keys(until: "LEFT") == ["й", "LEFT"])
    }

    @Test("The name of a key depends on Shift, Caps Lock, Num Lock and other modifiers")
    func modifiersAndLocksDetermineTheKeyName() throws {
        let reader = try makeKeyReader()
        inputConnection.press(shiftKey, qKey)
        inputConnection.press(capsLockKey)
        inputConnection.press(qKey)
        inputConnection.press(shiftKey, qKey)
        inputConnection.press(sevenKey)
        inputConnection.press(capsLockKey)
        inputConnection.press(qKey)
        inputConnection.press(shiftKey, leftKey)
        #expect(try reader.keys(until: "Shift+LEFT") == ["Q", "Q", "q", "7", "q", "Shift+LEFT"])
        inputConnection.press(controlKey, qKey)
        inputConnection.press(altKey, qKey)
        inputConnection.press(shiftKey, tabKey)
        inputConnection.press(shiftKey, controlKey, altKey, leftKey)
        let keyWithAllModifiers = "Shift+ctrl+alt+LEFT"
        #expect(try reader.keys(until: keyWithAllModifiers) == ["ctrl+q", "alt+q", "Shift+TAB", keyWithAllModifiers])
        inputConnection.press(numLockKey)
        inputConnection.press(keypadSevenKey)
        inputConnection.press(numLockKey)
        inputConnection.press(keypadMultiplyKey)
        #expect(try reader.keys(until: "*") == ["KP7", "*"])
    }

    @Test("The keyboard mapping of the core protocol is used on a server without XKB")
    func coreMappingIsUsedWithoutXKB() throws {
        let number = String(display.name.dropFirst())
        let server = try ChildProcess(
            Products.systemProgram("python3"),
            [Fixtures.packageRoot + "/Tests/StandIns/x-without-xkb.py", "/tmp/.X11-unix/X" + number])
        try #require(server.output.wait(for: "\n"))
        let connection = try XConnection(display: ":" + server.output.text.trimmingCharacters(in: .newlines))
        #expect(XKBKeymap.setUp(connection) == nil)
        let reader = KeyReader(connection)
        inputConnection.press(qKey)
        inputConnection.press(shiftKey, qKey)
        inputConnection.press(capsLockKey)
        inputConnection.press(qKey)
        inputConnection.press(capsLockKey)
        inputConnection.press(controlKey, leftKey)
        #expect(try reader.keys(until: "ctrl+LEFT") == ["q", "Q", "Q", "ctrl+LEFT"])
        // The keyboard mapping is read again after a later layout change.
        try setLayout("de")
        inputConnection.press(yKey)
        inputConnection.press(leftKey)
        #expect(try reader.keys(until: "LEFT") == ["z", "LEFT"])
    }

    @Test("The player window reports keys in a layout that is set while it is open")
    func layoutChangesApplyInThePlayerWindow() async throws {
        let keys = AsyncStream<String>.makeStream()
        let output = try X11Output(
            connection: XConnection(display: display.name), pictureSize: PixelSize(width: 400, height: 300),
            options: .init()
        ) { event in
            if case .key(let name) = event { keys.continuation.yield(name) }
        }
        defer { output.close() }
        output.window.takeFocus(at: 0)
        #expect(output.connection.sync())
        var names = keys.stream.makeAsyncIterator()
        inputConnection.press(yKey)
        #expect(await names.next() == "y")
        try setLayout("de")
        inputConnection.press(yKey)
        #expect(await names.next() == "z")
    }
}
