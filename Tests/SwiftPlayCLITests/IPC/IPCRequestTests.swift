import Testing

@testable import SwiftPlayCLI

@Suite struct IPCRequestTests {
    private func parse(_ text: String) -> IPCRequest {
        IPCRequest(line: ArraySlice(text.utf8), argumentNames: PlayerCommand.parameterNames)
    }

    @Test func jsonCommandsAreParsed() {
        #expect(
            parse(#"{"command":["get_property","pause"]}"#) == .command(IPCCommand("get_property", ["pause"]), id: 0))
        #expect(
            parse("\t{\"command\":[\"seek\",10,true],\"request_id\":7,\"async\":true}\r")
                == .command(IPCCommand("seek", [10, true]), id: 7))
        #expect(parse(#"{"command":["stop"]} trailing"#) == .command(IPCCommand("stop"), id: 0))
        #expect(parse("{\"command\":[\"stop\"]}\0garbage") == .command(IPCCommand("stop"), id: 0))
    }

    @Test(arguments: [#""abc""#, "5.5", "null", "-3", "[1]", "true", "9223372036854775807"])
    func aRequestIDMayBeAnyValue(_ id: String) {
        #expect(
            parse(#"{"command":["stop"],"request_id":\#(id)}"#)
                == .command(IPCCommand("stop"), id: JSONParser.value(in: id.utf8) ?? "bad"))
    }

    @Test func namedArgumentsAreParsed() {
        #expect(
            parse(#"{"command":{"name":"seek","target":10,"flags":"exact"}}"#)
                == .command(IPCCommand("seek", [10, "exact"]), id: 0))
        #expect(parse(#"{"command":{"name":"seek","target":10}}"#) == .command(IPCCommand("seek", [10]), id: 0))
        #expect(
            parse(#"{"command":{"name":"loadfile","url":"a","options":"b"}}"#)
                == .command(IPCCommand("loadfile", ["a", .null, "b"]), id: 0))
        #expect(parse(#"{"command":{"name":"frame_step"}}"#) == .command(IPCCommand("frame_step"), id: 0))
        for invalidCommand in [
            #"{"name":"seek","bogus":1}"#, #"{"name":"bogus"}"#, #"{"name":5}"#, "{}", #"{"target":1}"#,
        ] {
            #expect(parse(#"{"command":\#(invalidCommand),"request_id":2}"#) == .malformed(id: 2))
        }
    }

    @Test func malformedRequestsAreReported() {
        for malformedRequest in [
            #"{"command":[]}"#, #"{"command":[5]}"#, #"{"command":null}"#, #"{"command":"stop"}"#, "{}", "{bad json",
            "{",
        ] {
            #expect(parse(malformedRequest) == .malformed(id: 0), "\(malformedRequest)")
        }
        #expect(parse(#"{"request_id":9}"#) == .malformed(id: 9))
        // If `async` is not a boolean, the reply contains no request ID, as in mpv.
        #expect(parse(#"{"command":["stop"],"async":"foo","request_id":9}"#) == .malformed(id: 0))
    }

    @Test func linesWithoutAValidCommandAreIgnored() {
        for text in [
            "", "   ", "\r", "#", "# set pause yes", "\0", ";;", "set title \"open", "set title \"ab\"c",
            "a; set title 'x",
        ] {
            #expect(parse(text) == .nothing, "\(text)")
        }
        #expect(
            IPCRequest(line: [0xFF, 0xFE, 0x00], argumentNames: PlayerCommand.parameterNames)
                == .text([IPCCommand("\u{FFFD}\u{FFFD}")]))
    }

    @Test func textCommandsAreParsed() {
        #expect(parse("seek 10 relative") == .text([IPCCommand("seek", ["10", "relative"])]))
        #expect(parse("  set pause yes # comment") == .text([IPCCommand("set", ["pause", "yes"])]))
        #expect(
            parse(#"a "x \"y\"\n;" 'sin gle\n';b;c"#)
                == .text([IPCCommand("a", ["x \"y\"\n;", "sin gle\\n"]), IPCCommand("b"), IPCCommand("c")]))
        #expect(parse(#"set title a"b"#) == .text([IPCCommand("set", ["title", "a\"b"])]))
        #expect(parse("set title a#b") == .text([IPCCommand("set", ["title", "a"])]))
        #expect(parse(#"set title """#) == .text([IPCCommand("set", ["title", ""])]))
    }

    @Test func commandPrefixesAreRemoved() {
        #expect(
            IPCCommand("no-osd", ["raw", "frame_step", "a_b"]).withoutPrefixes == IPCCommand("frame-step", ["a_b"]))
        #expect(IPCCommand("no-osd").withoutPrefixes == nil)
        #expect(IPCCommand("no-osd", [5]).withoutPrefixes == nil)
    }

    @Test func aLineOfOneMegabyteIsParsed() {
        let text = String(repeating: "x", count: 1 << 20)
        #expect(
            parse(#"{"command":["show-text","\#(text)"]}"#) == .command(IPCCommand("show-text", [.string(text)]), id: 0)
        )
    }
}
