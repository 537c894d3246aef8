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
        let fixture = try BusTestFixture()
        let echoMethod = BusInterface.Method("Echo", [.init("value", "v")], results: [.init("value", "v")]) { $0 }
        let slot = try fixture.secondConnection.export(
            BusObject([BusInterface(BusTestFixture.interface, methods: [echoMethod])]), at: BusTestFixture.path)
        #expect(try fixture.callMethod("Echo", [.variant(value)]).get() == [.variant(value)])
        withExtendedLifetime(slot) {}
    }

    @Test func methodErrorsArePassedToTheCaller() throws {
        let fixture = try BusTestFixture()
        let refuseMethod = BusInterface.Method("Refuse") { _ throws(BusError) in
            throw BusError("org.example.Error.No", "not today")
        }
        let slot = try fixture.secondConnection.export(
            BusObject([BusInterface(BusTestFixture.interface, methods: [refuseMethod])]), at: BusTestFixture.path)
        #expect(try fixture.callMethod("Refuse") == .failure(BusError("org.example.Error.No", "not today")))
        func errorName(_ result: Result<[BusValue], BusError>) -> String? {
            if case .failure(let error) = result { error.name } else { nil }
        }
        #expect(try errorName(fixture.callMethod("Nothing")) == BusError.unknownMethod)
        #expect(try errorName(fixture.callMethod("Refuse", [.int32(1)])) == BusError.invalidArguments)
        #expect(try errorName(fixture.callMethod("Refuse", of: "org.example.Else")) == BusError.unknownMethod)
        withExtendedLifetime(slot) {}
    }

    @Test func exportedPropertiesAreReadSetAndDescribed() throws {
        let fixture = try BusTestFixture()
        var volume = 0.5
        let interface = BusInterface(
            BusTestFixture.interface,
            properties: [
                .init("Volume", "d", { .double(volume) }) { volume = $0.number ?? 0 },
                .init("Name", "s") { .string("n") },
            ],
            signals: [.init("Changed", [.init("by", "x")])])
        let slot = try fixture.secondConnection.export(BusObject([interface]), at: BusTestFixture.path)
        let properties = "org.freedesktop.DBus.Properties"
        #expect(
            try fixture.callMethod("GetAll", [.string(BusTestFixture.interface)], of: properties).get() == [
                .dictionary(["Volume": .double(0.5), "Name": .string("n")])
            ])
        var readResult: Result<BusValue, BusError>?
        try fixture.firstConnection.setProperty(
            "Volume", of: BusTestFixture.interface, at: BusTestFixture.path, from: fixture.secondConnectionName,
            to: .double(0.75))
        try fixture.firstConnection.property(
            "Volume", of: BusTestFixture.interface, at: BusTestFixture.path, from: fixture.secondConnectionName
        ) { readResult = $0 }
        try fixture.processMessages { readResult != nil }
        #expect(readResult == .success(.double(0.75)) && volume == 0.75)
        for (name, value) in [("Volume", BusValue.int32(1)), ("Name", .string("m")), ("Nothing", .bool(true))] {
            let answer = try fixture.callMethod(
                "Set", [.string(BusTestFixture.interface), .string(name), .variant(value)], of: properties)
            #expect(throws: BusError.self, "\(name)") { try answer.get() }
        }
        let text = try #require(
            fixture.callMethod("Introspect", of: "org.freedesktop.DBus.Introspectable").get().first?.text)
        #expect(
            text.contains("<property name=\"Volume\" type=\"d\" access=\"readwrite\">")
                && text.contains("<signal name=\"Changed\">"))
        withExtendedLifetime(slot) {}
    }

    @Test func introspectionDescribesArgumentsAndChangeSignals() throws {
        let fixture = try BusTestFixture()
        let arguments = [BusInterface.Argument("Offset", "x"), .init("Track", "o")]
        let seekMethod = BusInterface.Method("Seek", arguments, results: [.init("Place", "s")]) { _ in [.string("")] }
        let firstInterface = BusInterface(
            BusTestFixture.interface, methods: [seekMethod],
            properties: [.init("Still", "b", emitsChanges: false) { .bool(true) }, .init("Loud", "d") { .double(1) }],
            signals: [.init("Sought", [.init("Place", "x")])])
        let slot = try fixture.secondConnection.export(
            BusObject([firstInterface, BusInterface("org.example.Second")]), at: BusTestFixture.path)
        let answer = try fixture.callMethod("Introspect", of: "org.freedesktop.DBus.Introspectable").get().first?.text
        let lines = try #require(answer).split(separator: "\n").map { $0.drop { $0 == " " } }
        for line in [
            #"<arg type="x" name="Offset" direction="in"/>"#, #"<arg type="o" name="Track" direction="in"/>"#,
            #"<arg type="s" name="Place" direction="out"/>"#, #"<property name="Still" type="b" access="read">"#,
            #"<signal name="Sought">"#, #"<interface name="org.example.Second">"#,
        ] { #expect(lines.contains { $0 == line }, "\(line)") }
        // Introspection annotates only properties without change signals, because change signals are the default.
        let annotation = #"<annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>"#
        let stillIndex = try #require(lines.firstIndex { $0.contains(#"name="Still""#) })
        let loudIndex = try #require(lines.firstIndex { $0.contains(#"name="Loud""#) })
        #expect(lines[stillIndex + 1] == annotation && lines[loudIndex + 1] != annotation)
        withExtendedLifetime(slot) {}
    }

    @Test func propertyErrorsArePassedToTheCaller() throws {
        let fixture = try BusTestFixture()
        let refusingProperty = BusInterface.Property("Picky", "i", { .int32(0) }) { _ throws(BusError) in
            throw BusError("org.example.Error.No", "not today")
        }
        let interface = BusInterface(
            BusTestFixture.interface,
            properties: [refusingProperty, .init("Fixed", "s") { .string("n") }, .init("Wrong", "s") { .int32(1) }])
        let slot = try fixture.secondConnection.export(BusObject([interface]), at: BusTestFixture.path)
        func errorName(_ member: String, _ arguments: [BusValue]) throws -> String? {
            let answer = try fixture.callMethod(
                member, [.string(BusTestFixture.interface)] + arguments, of: "org.freedesktop.DBus.Properties")
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

    @Test func releasingTheSlotDuringAMethodCallRemovesTheExportedObject() throws {
        let fixture = try BusTestFixture()
        var slot: BusSlot?
        let leaveMethod = BusInterface.Method("Leave", results: [.init("word", "s")]) { _ in
            slot = nil
            return [.string("gone")]
        }
        slot = try fixture.secondConnection.export(
            BusObject([BusInterface(BusTestFixture.interface, methods: [leaveMethod])]), at: BusTestFixture.path)
        #expect(slot != nil)
        #expect(try fixture.callMethod("Leave").get() == [.string("gone")])
        let answer = try fixture.callMethod("Leave")
        #expect(throws: BusError.self) { try answer.get() }
    }

    @Test func signalsAreReceivedUntilTheWatchSlotIsReleased() throws {
        let fixture = try BusTestFixture()
        var received: [BusConnection.Signal] = []
        let rule = "type='signal',interface='\(BusTestFixture.interface)'"
        var slot: BusSlot? = try fixture.firstConnection.watch(rule) { received.append($0) }
        // The bus has registered the signal match once it has answered a later method call.
        #expect(throws: BusError.self) { try fixture.callMethod("Nothing").get() }
        try fixture.secondConnection.emit(
            "Happened", of: BusTestFixture.interface, at: BusTestFixture.path, [.int64(5)])
        try fixture.processMessages { !received.isEmpty }
        #expect(
            received[0].member == "Happened" && received[0].path == BusTestFixture.path
                && received[0].arguments == [.int64(5)]
                && received[0].sender.hasPrefix(":"))
        slot = nil
        #expect(slot == nil)
        try fixture.secondConnection.emit(
            "Happened", of: BusTestFixture.interface, at: BusTestFixture.path, [.int64(6)])
        #expect(throws: BusError.self) { try fixture.callMethod("Nothing").get() }
        #expect(received.count == 1)
    }

    @Test func aNameThatIsAlreadyOwnedIsNotGranted() throws {
        let fixture = try BusTestFixture()
        var isNameGranted: Bool?
        try fixture.firstConnection.requestName("org.example.Other") { isNameGranted = $0 }
        try fixture.processMessages { isNameGranted != nil }
        #expect(isNameGranted == false)
    }

    @Test func methodCallToAStoppedProgramTimesOut() throws {
        let fixture = try BusTestFixture()
        let player = try MPRISPlayerStandIn("hangs", "Playing", on: fixture.bus)
        player.child.signal(SIGSTOP)
        var lateResult: Result<[BusValue], BusError>?
        try fixture.firstConnection.call(
            .init(
                to: "org.mpris.MediaPlayer2.hangs", path: "/org/mpris/MediaPlayer2",
                interface: "org.mpris.MediaPlayer2.Player", "Pause"),
            timeout: 300_000_000
        ) { lateResult = $0 }
        // Other method calls are answered in the meantime.
        #expect(throws: BusError.self) { try fixture.callMethod("Nothing").get() }
        #expect(lateResult == nil)
        try fixture.processMessages { lateResult != nil }
        guard case .failure(let error) = lateResult else { return #expect(Bool(false), "the call was answered") }
        #expect(error.name == "org.freedesktop.DBus.Error.NoReply" || error.name.hasSuffix("Timeout"), "\(error)")
    }

    @Test func numberOfPendingMethodCallsIsLimited() throws {
        let fixture = try BusTestFixture()
        let player = try MPRISPlayerStandIn("hangs", "Playing", on: fixture.bus)
        player.child.signal(SIGSTOP)
        let call = BusConnection.Call(
            to: "org.mpris.MediaPlayer2.hangs", path: "/org/mpris/MediaPlayer2",
            interface: "org.mpris.MediaPlayer2.Player", "Pause")
        var failureCount = 0
        for _ in 0..<BusConnection.callLimit {
            try fixture.firstConnection.call(call) { if case .failure = $0 { failureCount += 1 } }
        }
        #expect(throws: BusError.self) { try fixture.firstConnection.call(call) }
        player.child.signal(SIGKILL)
        try fixture.processMessages { failureCount == BusConnection.callLimit }
        try fixture.firstConnection.call(call)
    }

    @Test func allPendingMethodCallsFailWhenTheBusExits() throws {
        let fixture = try BusTestFixture()
        let player = try MPRISPlayerStandIn("hangs", "Playing", on: fixture.bus)
        player.child.signal(SIGSTOP)
        var replyCount = 0
        let call = BusConnection.Call(
            to: "org.mpris.MediaPlayer2.hangs", path: "/org/mpris/MediaPlayer2",
            interface: "org.mpris.MediaPlayer2.Player", "Pause")
        for _ in 0..<3 { try fixture.firstConnection.call(call) { _ in replyCount += 1 } }
        try fixture.bus.end()
        #expect(throws: BusError.self) { try fixture.processMessages { false } }
        // Either connection may detect that the bus has exited; `firstConnection` detects it here at the latest.
        #expect(throws: BusError.self) { for _ in 0..<1000 { try fixture.firstConnection.process() } }
        #expect(replyCount == 3)
        #expect(throws: BusError.self) { try fixture.firstConnection.call(call) }
    }
}
