import Testing

@testable import SwiftPlayCLI

/// Compares the replies to clients byte for byte with the replies of mpv 0.35 to the same requests. Only the replies of
/// `get_property_string` for properties without a value differ: mpv 0.35 sends null instead of an error.
@Suite struct IPCSessionTests {
    private let target = TestTarget()

    /// Returns the bytes that the session would send to its client, and removes them from its output.
    private func takeOutput(_ session: inout IPCSession) -> String {
        var text = ""
        session.output.drain { bytes in
            text = String(decoding: bytes, as: UTF8.self)
            return bytes.count
        }
        return text
    }

    /// Returns the reply of a new IPC session to a client's line.
    private func newSessionReply(to line: String) -> String {
        var session = IPCSession(name: "ipc_0", target: target)
        _ = session.receive(ArraySlice(line.utf8))
        return takeOutput(&session)
    }

    @Test(arguments: [
        (#"["get_property","pause"]"#, #"{"data":false,"request_id":0,"error":"success"}"#),
        (#"["get_property","volume"]"#, #"{"data":100.000000,"request_id":0,"error":"success"}"#),
        (#"["get_property","pid"]"#, #"{"data":8129,"request_id":0,"error":"success"}"#),
        (#"["get_property","playlist"]"#, #"{"data":[],"request_id":0,"error":"success"}"#),
        (#"["get_property","nonexist"]"#, #"{"request_id":0,"error":"property not found"}"#),
        (#"["get_property","time-pos"]"#, #"{"request_id":0,"error":"property unavailable"}"#),
        (#"["get_property_string","volume"]"#, #"{"data":"100.000000","request_id":0,"error":"success"}"#),
        (#"["get_property_string","pause"]"#, #"{"data":"no","request_id":0,"error":"success"}"#),
        (#"["get_property_string","time-pos"]"#, #"{"request_id":0,"error":"property unavailable"}"#),
        (#"["get_property_string","nonexist"]"#, #"{"request_id":0,"error":"property not found"}"#),
        (#"["get_property_string","playlist"]"#, #"{"data":"[]","request_id":0,"error":"success"}"#),
        (#"["set_property","pause",true]"#, #"{"request_id":0,"error":"success"}"#),
        (
            #"["set_property","pause","maybe"]"#,
            #"{"request_id":0,"error":"unsupported format for accessing property"}"#
        ),
        (#"["set_property","pause",1]"#, #"{"request_id":0,"error":"error accessing property"}"#),
        (#"["set_property","nonexist",1]"#, #"{"request_id":0,"error":"property not found"}"#),
        (#"["set_property","time-pos",1]"#, #"{"request_id":0,"error":"property unavailable"}"#),
        (#"["set_property","mpv-version","1"]"#, #"{"request_id":0,"error":"error accessing property"}"#),
        (#"["set_property_string","pause","yes"]"#, #"{"request_id":0,"error":"success"}"#),
        (#"["set_property_string","volume",50]"#, #"{"request_id":0,"error":"success"}"#),
        (#"["get_version"]"#, #"{"data":131072,"request_id":0,"error":"success"}"#),
        (#"["client_name"]"#, #"{"data":"ipc_0","request_id":0,"error":"success"}"#),
        (#"["request_log_messages","info"]"#, #"{"request_id":0,"error":"success"}"#),
        (#"["disable_event","all"]"#, #"{"request_id":0,"error":"success"}"#),
        (#"["unobserve_property",1]"#, #"{"request_id":0,"error":"success"}"#),
        (#"["loadfile","/x"]"#, #"{"data":{"playlist_entry_id":1},"request_id":0,"error":"success"}"#),
        (#"["show-text","hi"]"#, #"{"data":null,"request_id":0,"error":"success"}"#),
        (#"["seek",10]"#, #"{"request_id":0,"error":"error running command"}"#),
        (#"["set","pause","yes"]"#, #"{"data":null,"request_id":0,"error":"success"}"#),
        (#"["no-osd","set","pause","no"]"#, #"{"data":null,"request_id":0,"error":"success"}"#),
        (#"["set","nonexist","yes"]"#, #"{"request_id":0,"error":"error running command"}"#),
    ])
    func repliesEqualThoseOfMPV(_ command: String, _ reply: String) {
        #expect(newSessionReply(to: #"{"command":\#(command)}"#) == reply + "\n")
    }

    @Test(arguments: [
        #"["bogus"]"#, "[]", "5", "null", "[null]", #"["get_property"]"#, #"["get_property",1]"#,
        #"["get_property","pause","x"]"#,
        #"["set_property","pause"]"#, #"["set_property","pause",true,1]"#, #"["set_property_string",1,"pause"]"#,
        #"["observe_property","6","pause"]"#,
        #"["observe_property",6]"#, #"["observe_property",6,6]"#, #"["observe_property",7.5,"pause"]"#,
        #"["observe_property",1,"pause",2]"#,
        #"["unobserve_property"]"#, #"["unobserve_property","x"]"#, #"["unobserve_property",1,2]"#,
        #"["request_log_messages","bogus"]"#,
        #"["request_log_messages"]"#, #"["enable_event","bogus"]"#, #"["enable_event"]"#,
        #"["disable_event","shutdown"]"#, #"["set","pause",true]"#, #"["set","pause"]"#,
    ])
    func invalidParametersAreRefused(_ command: String) {
        #expect(
            newSessionReply(to: #"{"command":\#(command),"request_id":3}"#)
                == #"{"request_id":3,"error":"invalid parameter"}"#
                + "\n")
    }

    @Test(arguments: [
        (#""abc""#, #""abc""#), ("5.5", "5.500000"), ("null", "null"), ("-3", "-3"),
        ("99999999999999999999", "100000000000000000000.000000"), ("[1,{\"a\":null}]", "[1,{\"a\":null}]"),
    ])
    func theRequestIDIsReturned(_ id: String, _ encodedID: String) {
        #expect(
            newSessionReply(to: #"{"command":["get_property","pause"],"request_id":\#(id)}"#)
                == #"{"data":false,"request_id":\#(encodedID),"error":"success"}"# + "\n")
    }

    @Test func textCommandsHaveNoReply() throws {
        #expect(newSessionReply(to: #"set pause yes; seek 5 "relative"; bogus"#) == "")
        #expect(try target.getProperty("pause") == true)
        #expect(target.commands == [IPCCommand("seek", ["5", "relative"]), IPCCommand("bogus")])
        #expect(newSessionReply(to: "get_property pause") == "")
    }

    @Test func requestsReportWhichPropertiesMayHaveChanged() {
        var session = IPCSession(name: "x", target: target)
        func changedProperties(_ line: String) -> IPCSession.ChangedProperties {
            session.receive(ArraySlice(line.utf8))
        }
        #expect(changedProperties(#"{"command":["get_property","pause"]}"#) == .nothing)
        #expect(changedProperties(#"{"command":["set_property","pause",true]}"#) == .property("pause"))
        #expect(changedProperties("cycle pause") == .anyProperty)
        #expect(changedProperties(#"{"command":["cycle","pause"]}"#) == .anyProperty)
        #expect(changedProperties("{") == .nothing)
    }

    @Test func getTimeCountsFromTheStartOfTheServer() {
        var session = IPCSession(name: "x", target: target, startTime: 0)
        _ = session.receive(ArraySlice(#"{"command":["get_time_us"]}"#.utf8))
        guard case .object(let reply)? = JSONParser.value(in: takeOutput(&session).utf8),
            case .int(let time)? = reply["data"]
        else {
            Issue.record("no time")
            return
        }
        #expect(time > 0)
    }

    @Test func eventsCanBeDisabled() {
        var session = IPCSession(name: "x", target: target)
        session.deliver(IPCEvent("end-file", ["reason": "eof", "playlist_entry_id": 1]))
        #expect(takeOutput(&session) == #"{"event":"end-file","reason":"eof","playlist_entry_id":1}"# + "\n")
        _ = session.receive(ArraySlice(#"{"command":["disable_event","end-file"]}"#.utf8))
        _ = takeOutput(&session)
        session.deliver(IPCEvent("end-file"))
        session.deliver(IPCEvent("idle"))
        #expect(takeOutput(&session) == #"{"event":"idle"}"# + "\n")
        _ = session.receive(ArraySlice(#"{"command":["enable_event","all"]}"#.utf8))
        _ = takeOutput(&session)
        session.deliver(IPCEvent("end-file"))
        #expect(takeOutput(&session) == #"{"event":"end-file"}"# + "\n")
    }

    @Test func aSlowClientReceivesOnlyTheLatestPropertyChange() {
        var session = IPCSession(name: "x", target: target)
        _ = session.receive(ArraySlice(#"{"command":["observe_property",1,"volume"]}"#.utf8))
        session.deliverPropertyChanges()
        #expect(
            takeOutput(&session)
                .hasSuffix(#"{"event":"property-change","id":1,"name":"volume","data":100.000000}"# + "\n"))
        session.output.append { $0 += [UInt8](repeating: 10, count: 100_000) }
        for volume in 1...5 {
            target.changeProperty("volume", to: .double(Double(volume)))
            session.observers.markAsChanged(.property("volume"))
            session.deliverPropertyChanges()
        }
        #expect(session.output.count == 100_000)
        _ = takeOutput(&session)
        session.deliverPropertyChanges()
        #expect(takeOutput(&session) == #"{"event":"property-change","id":1,"name":"volume","data":5.000000}"# + "\n")
    }
}
