import CXCB
import Foundation
import SharedFrames
import SystemCalls
import TestSupport
import Testing

import class VideoOutput.XConnection

@testable import VideoOutput

/// Keys of a real X server, in the layouts that `setxkbmap` sets there.
@Suite struct XKeyboardTests {
    private let display: PrivateDisplay
    private let fingers: TestSupport.XConnection

    // Key codes, named by an American keyboard.
    private let q: UInt8 = 24, e: UInt8 = 26, y: UInt8 = 29, p: UInt8 = 33, seven: UInt8 = 16, bracket: UInt8 = 34
    private let shift: UInt8 = 50, control: UInt8 = 37, alt: UInt8 = 64, capsLock: UInt8 = 66, altGr: UInt8 = 108
    private let menu: UInt8 = 135, left: UInt8 = 113, tab: UInt8 = 23, keypadSeven: UInt8 = 79, numLock: UInt8 = 77

    init() throws {
        display = try PrivateDisplay()
        fingers = try TestSupport.XConnection(display: display.name)
        try layout("us")
    }

    private func layout(_ layout: String, option: String = "") throws {
        let options = ["-option", "", "-option", option]
        try run("setxkbmap", ["-display", display.name, "-layout", layout] + options)
    }

    /// A window with the keyboard, and the names of the keys that it receives.
    private final class Typist {
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

        /// The names of the next keys that have one, until `last` comes.
        func keys(until last: String) throws -> [String] {
            var found: [String] = []
            let deadline = Deadline.after(.seconds(20))
            while found.last != last {
                guard let event = xcb_poll_for_event(connection.pointer) else {
                    var entries = [Poll.Entry(connection.descriptor)]
                    guard try Poll.wait(&entries, until: deadline) else { throw RigError("no \(last) after \(found)") }
                    continue
                }
                defer { free(event) }
                let isKey = Int32(event.pointee.response_type & 0x7f) == XCB_KEY_PRESS
                guard !keyboard.handle(event), isKey else { continue }
                let name = event.withMemoryRebound(to: xcb_key_press_event_t.self, capacity: 1) {
                    keyboard.name(of: $0.pointee)
                }
                if let name { found.append(name) }
            }
            return found
        }
    }

    private func typist() throws -> Typist { Typist(try XConnection(display: display.name)) }

    @Test("a layout that is set while the window is open holds for the next key")
    func layouts() throws {
        let typist = try typist()
        fingers.press(y)
        fingers.press(left)
        #expect(try typist.keys(until: "LEFT") == ["y", "LEFT"])
        try layout("de")
        fingers.press(y)
        fingers.press(bracket)
        fingers.press(altGr, seven)
        fingers.press(left)
        #expect(try typist.keys(until: "LEFT") == ["z", "ü", "{", "LEFT"])
        // Back again, twice at once.
        try layout("fr")
        try layout("us")
        fingers.press(q)
        fingers.press(left)
        #expect(try typist.keys(until: "LEFT") == ["q", "LEFT"])
    }

    @Test("the layout that a key switches to holds, and another script's letter is the Latin one of the other layout")
    func groups() throws {
        let typist = try typist()
        try layout("us,de", option: "grp:menu_toggle")
        fingers.press(y)
        fingers.press(menu)
        fingers.press(y)
        fingers.press(menu)
        fingers.press(y)
        fingers.press(left)
        #expect(try typist.keys(until: "LEFT") == ["y", "z", "y", "LEFT"])
        try layout("ru,us", option: "grp:menu_toggle")
        // In Russian the key of "/" has a full stop of its own.
        for _ in 0..<2 {
            fingers.press(q)
            fingers.press(shift, p)
            fingers.press(control, y)
            fingers.press(61)
            fingers.press(menu)
        }
        fingers.press(left)
        #expect(try typist.keys(until: "LEFT") == ["q", "P", "ctrl+y", ".", "q", "P", "ctrl+y", "/", "LEFT"])
        try layout("ru")
        fingers.press(q)
        fingers.press(left)
        #expect(try typist.keys(until: "LEFT") == ["й", "LEFT"])
    }

    @Test("Shift, Caps Lock, Num Lock and the modifiers")
    func levels() throws {
        let typist = try typist()
        fingers.press(shift, q)
        fingers.press(capsLock)
        fingers.press(q)
        fingers.press(shift, q)
        fingers.press(seven)
        fingers.press(capsLock)
        fingers.press(q)
        fingers.press(shift, left)
        #expect(try typist.keys(until: "Shift+LEFT") == ["Q", "Q", "q", "7", "q", "Shift+LEFT"])
        fingers.press(control, q)
        fingers.press(alt, q)
        fingers.press(shift, tab)
        fingers.press(shift, control, alt, left)
        let all = "Shift+ctrl+alt+LEFT"
        #expect(try typist.keys(until: all) == ["ctrl+q", "alt+q", "Shift+TAB", all])
        fingers.press(numLock)
        fingers.press(keypadSeven)
        fingers.press(numLock)
        fingers.press(63)
        #expect(try typist.keys(until: "*") == ["KP7", "*"])
    }

    @Test("a server without XKB: the core protocol's mapping")
    func withoutTheExtension() throws {
        let number = String(display.name.dropFirst())
        let server = try ChildProcess(
            Products.system("python3"),
            [Fixtures.packageRoot + "/Tests/StandIns/x-without-xkb.py", "/tmp/.X11-unix/X" + number])
        try #require(server.output.wait(for: "\n"))
        let connection = try XConnection(display: ":" + server.output.text.trimmingCharacters(in: .newlines))
        #expect(XKBKeymap.setUp(connection) == nil)
        let typist = Typist(connection)
        fingers.press(q)
        fingers.press(shift, q)
        fingers.press(capsLock)
        fingers.press(q)
        fingers.press(capsLock)
        fingers.press(control, left)
        #expect(try typist.keys(until: "ctrl+LEFT") == ["q", "Q", "Q", "ctrl+LEFT"])
        // A layout that is set later is read again.
        try layout("de")
        fingers.press(y)
        fingers.press(left)
        #expect(try typist.keys(until: "LEFT") == ["z", "LEFT"])
    }

    @Test("a player's window reports keys in the layout that is set while it is open")
    func window() async throws {
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
        fingers.press(y)
        #expect(await names.next() == "y")
        try layout("de")
        fingers.press(y)
        #expect(await names.next() == "z")
    }
}
