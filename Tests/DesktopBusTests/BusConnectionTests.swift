import DesktopBus
import Glibc
import SystemCalls
import TestSupport
import Testing

@Suite struct BusConnectionTests {
    @Test func withoutABusThereIsAClearError() {
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
    func aValueComesBackAsItWent(_ value: BusValue) throws {
        let rig = try BusRig()
        let echo = BusInterface.Method("Echo", [.init("value", "v")], results: [.init("value", "v")]) { $0 }
        let slot = try rig.other.export(BusObject([BusInterface(BusRig.interface, methods: [echo])]), at: BusRig.path)
        #expect(try rig.call("Echo", [.variant(value)]).get() == [.variant(value)])
        withExtendedLifetime(slot) {}
    }

    @Test func errorsComeWithTheirNames() throws {
        let rig = try BusRig()
        let refuse = BusInterface.Method("Refuse") { _ throws(BusError) in
            throw BusError("org.example.Error.No", "not today")
        }
        let slot = try rig.other.export(BusObject([BusInterface(BusRig.interface, methods: [refuse])]), at: BusRig.path)
        #expect(try rig.call("Refuse") == .failure(BusError("org.example.Error.No", "not today")))
        func name(_ answer: Result<[BusValue], BusError>) -> String? {
            if case .failure(let error) = answer { error.name } else { nil }
        }
        #expect(try name(rig.call("Nothing")) == BusError.unknownMethod)
        #expect(try name(rig.call("Refuse", [.int32(1)])) == BusError.invalidArguments)
        #expect(try name(rig.call("Refuse", of: "org.example.Else")) == BusError.unknownMethod)
        withExtendedLifetime(slot) {}
    }

    @Test func propertiesAreReadSetAndDescribed() throws {
        let rig = try BusRig()
        var volume = 0.5
        let interface = BusInterface(
            BusRig.interface,
            properties: [
                .init("Volume", "d", { .double(volume) }) { volume = $0.number ?? 0 },
                .init("Name", "s") { .string("n") },
            ],
            signals: [.init("Changed", [.init("by", "x")])])
        let slot = try rig.other.export(BusObject([interface]), at: BusRig.path)
        let properties = "org.freedesktop.DBus.Properties"
        #expect(
            try rig.call("GetAll", [.string(BusRig.interface)], of: properties).get() == [
                .dictionary(["Volume": .double(0.5), "Name": .string("n")])
            ])
        var read: Result<BusValue, BusError>?
        try rig.one.setProperty("Volume", of: BusRig.interface, at: BusRig.path, from: rig.otherName, to: .double(0.75))
        try rig.one.property("Volume", of: BusRig.interface, at: BusRig.path, from: rig.otherName) { read = $0 }
        try rig.run { read != nil }
        #expect(read == .success(.double(0.75)) && volume == 0.75)
        for (name, value) in [("Volume", BusValue.int32(1)), ("Name", .string("m")), ("Nothing", .bool(true))] {
            let answer = try rig.call(
                "Set", [.string(BusRig.interface), .string(name), .variant(value)], of: properties)
            #expect(throws: BusError.self, "\(name)") { try answer.get() }
        }
        let text = try #require(rig.call("Introspect", of: "org.freedesktop.DBus.Introspectable").get().first?.text)
        #expect(
            text.contains("<property name=\"Volume\" type=\"d\" access=\"readwrite\">")
                && text.contains("<signal name=\"Changed\">"))
        withExtendedLifetime(slot) {}
    }

    @Test func introspectionNamesArgumentsAndWhatIsAnnounced() throws {
        let rig = try BusRig()
        let arguments = [BusInterface.Argument("Offset", "x"), .init("Track", "o")]
        let seek = BusInterface.Method("Seek", arguments, results: [.init("Place", "s")]) { _ in [.string("")] }
        let one = BusInterface(
            BusRig.interface, methods: [seek],
            properties: [.init("Still", "b", announces: false) { .bool(true) }, .init("Loud", "d") { .double(1) }],
            signals: [.init("Sought", [.init("Place", "x")])])
        let slot = try rig.other.export(BusObject([one, BusInterface("org.example.Second")]), at: BusRig.path)
        let answer = try rig.call("Introspect", of: "org.freedesktop.DBus.Introspectable").get().first?.text
        let lines = try #require(answer).split(separator: "\n").map { $0.drop { $0 == " " } }
        for line in [
            #"<arg type="x" name="Offset" direction="in"/>"#, #"<arg type="o" name="Track" direction="in"/>"#,
            #"<arg type="s" name="Place" direction="out"/>"#, #"<property name="Still" type="b" access="read">"#,
            #"<signal name="Sought">"#, #"<interface name="org.example.Second">"#,
        ] { #expect(lines.contains { $0 == line }, "\(line)") }
        // Only the exception is marked: announcing changes is the default.
        let mark = #"<annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>"#
        let still = try #require(lines.firstIndex { $0.contains(#"name="Still""#) })
        let loud = try #require(lines.firstIndex { $0.contains(#"name="Loud""#) })
        #expect(lines[still + 1] == mark && lines[loud + 1] != mark)
        withExtendedLifetime(slot) {}
    }

    @Test func errorsOfPropertiesComeWithTheirNames() throws {
        let rig = try BusRig()
        let refusing = BusInterface.Property("Picky", "i", { .int32(0) }) { _ throws(BusError) in
            throw BusError("org.example.Error.No", "not today")
        }
        let interface = BusInterface(
            BusRig.interface,
            properties: [refusing, .init("Fixed", "s") { .string("n") }, .init("Wrong", "s") { .int32(1) }])
        let slot = try rig.other.export(BusObject([interface]), at: BusRig.path)
        func name(_ member: String, _ arguments: [BusValue]) throws -> String? {
            let answer = try rig.call(
                member, [.string(BusRig.interface)] + arguments, of: "org.freedesktop.DBus.Properties")
            return if case .failure(let error) = answer { error.name } else { nil }
        }
        #expect(try name("Set", [.string("Picky"), .variant(.int32(1))]) == "org.example.Error.No")
        #expect(try name("Set", [.string("Picky"), .variant(.string("1"))]) == BusError.invalidArguments)
        let readOnly = "org.freedesktop.DBus.Error.PropertyReadOnly"
        #expect(try name("Set", [.string("Fixed"), .variant(.string("m"))]) == readOnly)
        #expect(try name("Get", [.string("Nothing")]) == "org.freedesktop.DBus.Error.UnknownProperty")
        #expect(try name("Get", [.string("Fixed")]) == nil)
        #expect(try name("Get", [.string("Wrong")]) != nil, "a value of another type than was declared is not sent")
        withExtendedLifetime(slot) {}
    }

    @Test func anObjectGoesWithItsSlotEvenInTheMiddleOfACall() throws {
        let rig = try BusRig()
        var slot: BusSlot?
        let leave = BusInterface.Method("Leave", results: [.init("word", "s")]) { _ in
            slot = nil
            return [.string("gone")]
        }
        slot = try rig.other.export(BusObject([BusInterface(BusRig.interface, methods: [leave])]), at: BusRig.path)
        #expect(slot != nil)
        #expect(try rig.call("Leave").get() == [.string("gone")])
        let answer = try rig.call("Leave")
        #expect(throws: BusError.self) { try answer.get() }
    }

    @Test func signalsAreHeardWhileTheyAreWatched() throws {
        let rig = try BusRig()
        var heard: [BusConnection.Signal] = []
        var slot: BusSlot? = try rig.one.watch("type='signal',interface='\(BusRig.interface)'") { heard.append($0) }
        // The bus has the watch when it has answered what was asked after it.
        #expect(throws: BusError.self) { try rig.call("Nothing").get() }
        try rig.other.emit("Happened", of: BusRig.interface, at: BusRig.path, [.int64(5)])
        try rig.run { !heard.isEmpty }
        #expect(
            heard[0].member == "Happened" && heard[0].path == BusRig.path && heard[0].arguments == [.int64(5)]
                && heard[0].sender.hasPrefix(":"))
        slot = nil
        #expect(slot == nil)
        try rig.other.emit("Happened", of: BusRig.interface, at: BusRig.path, [.int64(6)])
        #expect(throws: BusError.self) { try rig.call("Nothing").get() }
        #expect(heard.count == 1)
    }

    @Test func aNameIsOnesAlone() throws {
        let rig = try BusRig()
        var isOurs: Bool?
        try rig.one.requestName("org.example.Other") { isOurs = $0 }
        try rig.run { isOurs != nil }
        #expect(isOurs == false)
    }

    @Test func whoeverHangsIsNotWaitedFor() throws {
        let rig = try BusRig()
        let player = try StrangePlayer("hangs", "Playing", on: rig.bus)
        player.child.signal(SIGSTOP)
        var late: Result<[BusValue], BusError>?
        try rig.one.call(
            .init(
                to: "org.mpris.MediaPlayer2.hangs", path: "/org/mpris/MediaPlayer2",
                interface: "org.mpris.MediaPlayer2.Player", "Pause"),
            patience: 300_000_000
        ) { late = $0 }
        // Others are answered meanwhile.
        #expect(throws: BusError.self) { try rig.call("Nothing").get() }
        #expect(late == nil)
        try rig.run { late != nil }
        guard case .failure(let error) = late else { return #expect(Bool(false), "it was answered") }
        #expect(error.name == "org.freedesktop.DBus.Error.NoReply" || error.name.hasSuffix("Timeout"), "\(error)")
    }

    @Test func callsThatAreNotAnsweredHaveALimit() throws {
        let rig = try BusRig()
        let player = try StrangePlayer("hangs", "Playing", on: rig.bus)
        player.child.signal(SIGSTOP)
        let call = BusConnection.Call(
            to: "org.mpris.MediaPlayer2.hangs", path: "/org/mpris/MediaPlayer2",
            interface: "org.mpris.MediaPlayer2.Player", "Pause")
        var failures = 0
        for _ in 0..<BusConnection.callLimit { try rig.one.call(call) { if case .failure = $0 { failures += 1 } } }
        #expect(throws: BusError.self) { try rig.one.call(call) }
        player.child.signal(SIGKILL)
        try rig.run { failures == BusConnection.callLimit }
        try rig.one.call(call)
    }

    @Test func whenTheBusEndsEveryCallIsAnswered() throws {
        let rig = try BusRig()
        let player = try StrangePlayer("hangs", "Playing", on: rig.bus)
        player.child.signal(SIGSTOP)
        var answers = 0
        let call = BusConnection.Call(
            to: "org.mpris.MediaPlayer2.hangs", path: "/org/mpris/MediaPlayer2",
            interface: "org.mpris.MediaPlayer2.Player", "Pause")
        for _ in 0..<3 { try rig.one.call(call) { _ in answers += 1 } }
        try rig.bus.end()
        #expect(throws: BusError.self) { try rig.run { false } }
        // Of the two it was the one or the other that said so first.
        #expect(throws: BusError.self) { for _ in 0..<1000 { try rig.one.process() } }
        #expect(answers == 3)
        #expect(throws: BusError.self) { try rig.one.call(call) }
    }
}
