import DesktopBus
import Glibc
import SystemCalls
import TestSupport
import Testing

@Suite struct BusConnectionTests {
    @Test func connectingWithoutABusThrowsAnErrorWithTheAddress() {
        for address in [nil, "unix:path=/nowhere/bus", "nonsense"] {
            #expect(throws: BusError.self) { try BusConnection(address: address) }
        }
        do throws(BusError) {
            _ = try BusConnection(address: "unix:path=/nowhere/bus")
        } catch { #expect(error.name == BusError.noServer && error.message.contains("/nowhere/bus"), "\(error)") }
    }

    @Test(arguments: [
        BusValue.byte(200), .bool(true), .int16(-3), .uint16(65_535), .int32(-70_000), .uint32(4_000_000_000),
        .int64(.min), .uint64(.max),
        .double(-0.25), .string("Grüße"), .objectPath("/a/b"), .signature("a{sv}"), .bytes([0, 1, 255]), .bytes([]),
        .array(of: "x", []),
        .strings(["a", ""]), .dictionary(["one": .int32(1), "list": .strings(["b"])]), .dictionary([:]),
        .array(of: "{su}", [.entry(.string("k"), .uint32(7))]),
        .structure([.string("s"), .variant(.variant(.double(1)))]), .variant(.bool(false)),
    ])
    func busValuesOfEveryTypeRoundTrip(_ value: BusValue) throws {
        let rig = try BusTestRig()
        let echo = BusInterface.Method("Echo", [.init("value", "v")], results: [.init("value", "v")]) { $0 }
        let slot = try rig.secondConnection.export(
            BusObject([BusInterface(BusTestRig.interface, methods: [echo])]), at: BusTestRig.path)
        #expect(try rig.callMethod("Echo", [.variant(value)]).get() == [.variant(value)])
        withExtendedLifetime(slot) {}
    }

    @Test func errorNamesArePassedToTheCaller() throws {
        let rig = try BusTestRig()
        let refuse = BusInterface.Method("Refuse") { _ throws(BusError) in
            throw BusError("org.example.Error.No", "not today")
        }
        let slot = try rig.secondConnection.export(
            BusObject([BusInterface(BusTestRig.interface, methods: [refuse])]), at: BusTestRig.path)
        #expect(try rig.callMethod("Refuse") == .failure(BusError("org.example.Error.No", "not today")))
        func errorName(_ answer: Result<[BusValue], BusError>) -> String? {
            if case .failure(let error) = answer { error.name } else { nil }
        }
        #expect(try errorName(rig.callMethod("Nothing")) == BusError.unknownMethod)
        #expect(try errorName(rig.callMethod("Refuse", [.int32(1)])) == BusError.invalidArguments)
        #expect(try errorName(rig.callMethod("Refuse", of: "org.example.Else")) == BusError.unknownMethod)
        withExtendedLifetime(slot) {}
    }

    @Test func exportedPropertiesAreReadSetAndDescribed() throws {
        let rig = try BusTestRig()
        var volume = 0.5
        let interface = BusInterface(
            BusTestRig.interface,
            properties: [
                .init("Volume", "d", { .double(volume) }) { volume = $0.number ?? 0 },
                .init("Name", "s") { .string("n") },
            ],
            signals: [.init("Changed", [.init("by", "x")])])
        let slot = try rig.secondConnection.export(BusObject([interface]), at: BusTestRig.path)
        let properties = "org.freedesktop.DBus.Properties"
        #expect(
            try rig.callMethod("GetAll", [.string(BusTestRig.interface)], of: properties).get() == [
                .dictionary(["Volume": .double(0.5), "Name": .string("n")])
            ])
        var read: Result<BusValue, BusError>?
        try rig.firstConnection.setProperty(
            "Volume", of: BusTestRig.interface, at: BusTestRig.path, from: rig.secondConnectionName, to: .double(0.75))
        try rig.firstConnection.property(
            "Volume", of: BusTestRig.interface, at: BusTestRig.path, from: rig.secondConnectionName
        ) { read = $0 }
        try rig.processMessages { read != nil }
        #expect(read == .success(.double(0.75)) && volume == 0.75)
        for (name, value) in [("Volume", BusValue.int32(1)), ("Name", .string("m")), ("Nothing", .bool(true))] {
            let answer = try rig.callMethod(
                "Set", [.string(BusTestRig.interface), .string(name), .variant(value)], of: properties)
            #expect(throws: BusError.self, "\(name)") { try answer.get() }
        }
        let text = try #require(
            rig.callMethod("Introspect", of: "org.freedesktop.DBus.Introspectable").get().first?.text)
        #expect(
            text.contains("<property name=\"Volume\" type=\"d\" access=\"readwrite\">")
                && text.contains("<signal name=\"Changed\">"))
        withExtendedLifetime(slot) {}
    }

    @Test func introspectionDescribesArgumentsAndChangeSignals() throws {
        let rig = try BusTestRig()
        let arguments = [BusInterface.Argument("Offset", "x"), .init("Track", "o")]
        let seek = BusInterface.Method("Seek", arguments, results: [.init("Place", "s")]) { _ in [.string("")] }
        let one = BusInterface(
            BusTestRig.interface, methods: [seek],
            properties: [.init("Still", "b", emitsChanges: false) { .bool(true) }, .init("Loud", "d") { .double(1) }],
            signals: [.init("Sought", [.init("Place", "x")])])
        let slot = try rig.secondConnection.export(
            BusObject([one, BusInterface("org.example.Second")]), at: BusTestRig.path)
        let answer = try rig.callMethod("Introspect", of: "org.freedesktop.DBus.Introspectable").get().first?.text
        let lines = try #require(answer).split(separator: "\n").map { $0.drop { $0 == " " } }
        for line in [
            #"<arg type="x" name="Offset" direction="in"/>"#, #"<arg type="o" name="Track" direction="in"/>"#,
            #"<arg type="s" name="Place" direction="out"/>"#, #"<property name="Still" type="b" access="read">"#,
            #"<signal name="Sought">"#, #"<interface name="org.example.Second">"#,
        ] { #expect(lines.contains { $0 == line }, "\(line)") }
        // Introspection annotates only properties without change signals, because change signals are the default.
        let mark = #"<annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>"#
        let still = try #require(lines.firstIndex { $0.contains(#"name="Still""#) })
        let loud = try #require(lines.firstIndex { $0.contains(#"name="Loud""#) })
        #expect(lines[still + 1] == mark && lines[loud + 1] != mark)
        withExtendedLifetime(slot) {}
    }

    @Test func propertyErrorNamesArePassedToTheCaller() throws {
        let rig = try BusTestRig()
        let refusing = BusInterface.Property("Picky", "i", { .int32(0) }) { _ throws(BusError) in
            throw BusError("org.example.Error.No", "not today")
        }
        let interface = BusInterface(
            BusTestRig.interface,
            properties: [refusing, .init("Fixed", "s") { .string("n") }, .init("Wrong", "s") { .int32(1) }])
        let slot = try rig.secondConnection.export(BusObject([interface]), at: BusTestRig.path)
        func errorName(_ member: String, _ arguments: [BusValue]) throws -> String? {
            let answer = try rig.callMethod(
                member, [.string(BusTestRig.interface)] + arguments, of: "org.freedesktop.DBus.Properties")
            return if case .failure(let error) = answer { error.name } else { nil }
        }
        #expect(try errorName("Set", [.string("Picky"), .variant(.int32(1))]) == "org.example.Error.No")
        #expect(try errorName("Set", [.string("Picky"), .variant(.string("1"))]) == BusError.invalidArguments)
        let readOnly = "org.freedesktop.DBus.Error.PropertyReadOnly"
        #expect(try errorName("Set", [.string("Fixed"), .variant(.string("m"))]) == readOnly)
        #expect(try errorName("Get", [.string("Nothing")]) == "org.freedesktop.DBus.Error.UnknownProperty")
        #expect(try errorName("Get", [.string("Fixed")]) == nil)
        #expect(
            try errorName("Get", [.string("Wrong")]) != nil,
            "a value whose type differs from the declaration is not sent")
        withExtendedLifetime(slot) {}
    }

    @Test func releasingTheSlotRemovesTheExportedObjectEvenDuringItsMethod() throws {
        let rig = try BusTestRig()
        var slot: BusSlot?
        let leave = BusInterface.Method("Leave", results: [.init("word", "s")]) { _ in
            slot = nil
            return [.string("gone")]
        }
        slot = try rig.secondConnection.export(
            BusObject([BusInterface(BusTestRig.interface, methods: [leave])]), at: BusTestRig.path)
        #expect(slot != nil)
        #expect(try rig.callMethod("Leave").get() == [.string("gone")])
        let answer = try rig.callMethod("Leave")
        #expect(throws: BusError.self) { try answer.get() }
    }

    @Test func busSignalsAreReceivedWhileTheyAreWatched() throws {
        let rig = try BusTestRig()
        var received: [BusConnection.Signal] = []
        var slot: BusSlot? = try rig.firstConnection.watch("type='signal',interface='\(BusTestRig.interface)'") {
            received.append($0)
        }
        // The bus has registered the signal match once it has answered a later method call.
        #expect(throws: BusError.self) { try rig.callMethod("Nothing").get() }
        try rig.secondConnection.emit("Happened", of: BusTestRig.interface, at: BusTestRig.path, [.int64(5)])
        try rig.processMessages { !received.isEmpty }
        #expect(
            received[0].member == "Happened" && received[0].path == BusTestRig.path
                && received[0].arguments == [.int64(5)]
                && received[0].sender.hasPrefix(":"))
        slot = nil
        #expect(slot == nil)
        try rig.secondConnection.emit("Happened", of: BusTestRig.interface, at: BusTestRig.path, [.int64(6)])
        #expect(throws: BusError.self) { try rig.callMethod("Nothing").get() }
        #expect(received.count == 1)
    }

    @Test func busNameHasOneOwner() throws {
        let rig = try BusTestRig()
        var isOurs: Bool?
        try rig.firstConnection.requestName("org.example.Other") { isOurs = $0 }
        try rig.processMessages { isOurs != nil }
        #expect(isOurs == false)
    }

    @Test func methodCallToAHangingProgramTimesOut() throws {
        let rig = try BusTestRig()
        let player = try MPRISPlayerStandIn("hangs", "Playing", on: rig.bus)
        player.child.signal(SIGSTOP)
        var late: Result<[BusValue], BusError>?
        try rig.firstConnection.call(
            .init(
                to: "org.mpris.MediaPlayer2.hangs", path: "/org/mpris/MediaPlayer2",
                interface: "org.mpris.MediaPlayer2.Player", "Pause"),
            timeout: 300_000_000
        ) { late = $0 }
        // Other method calls are answered in the meantime.
        #expect(throws: BusError.self) { try rig.callMethod("Nothing").get() }
        #expect(late == nil)
        try rig.processMessages { late != nil }
        guard case .failure(let error) = late else { return #expect(Bool(false), "the call was answered") }
        #expect(error.name == "org.freedesktop.DBus.Error.NoReply" || error.name.hasSuffix("Timeout"), "\(error)")
    }

    @Test func numberOfUnansweredMethodCallsIsBounded() throws {
        let rig = try BusTestRig()
        let player = try MPRISPlayerStandIn("hangs", "Playing", on: rig.bus)
        player.child.signal(SIGSTOP)
        let call = BusConnection.Call(
            to: "org.mpris.MediaPlayer2.hangs", path: "/org/mpris/MediaPlayer2",
            interface: "org.mpris.MediaPlayer2.Player", "Pause")
        var failures = 0
        for _ in 0..<BusConnection.callLimit {
            try rig.firstConnection.call(call) { if case .failure = $0 { failures += 1 } }
        }
        #expect(throws: BusError.self) { try rig.firstConnection.call(call) }
        player.child.signal(SIGKILL)
        try rig.processMessages { failures == BusConnection.callLimit }
        try rig.firstConnection.call(call)
    }

    @Test func allPendingMethodCallsFailWhenTheBusExits() throws {
        let rig = try BusTestRig()
        let player = try MPRISPlayerStandIn("hangs", "Playing", on: rig.bus)
        player.child.signal(SIGSTOP)
        var answers = 0
        let call = BusConnection.Call(
            to: "org.mpris.MediaPlayer2.hangs", path: "/org/mpris/MediaPlayer2",
            interface: "org.mpris.MediaPlayer2.Player", "Pause")
        for _ in 0..<3 { try rig.firstConnection.call(call) { _ in answers += 1 } }
        try rig.bus.end()
        #expect(throws: BusError.self) { try rig.processMessages { false } }
        // Either connection may detect that the bus has exited; `firstConnection` detects it here at the latest.
        #expect(throws: BusError.self) { for _ in 0..<1000 { try rig.firstConnection.process() } }
        #expect(answers == 3)
        #expect(throws: BusError.self) { try rig.firstConnection.call(call) }
    }
}
