import Testing

@testable import SwiftPlayCLI

@Suite struct PropertyObserversTests {
    private typealias Change = PropertyObservers.Change

    @Test func observersReceiveTheFirstValueAndThenOnlyChanges() throws {
        var observers = PropertyObservers(capacity: 4)
        try observers.observe(id: 1, name: "pause", sendsText: false)
        #expect(observers.takeChanges { _ in false } == [Change(id: 1, name: "pause", value: false)])
        #expect(!observers.hasMarkedProperties)
        #expect(observers.takeChanges { _ in true } == [], "an unmarked property is not read")
        observers.markAsChanged(.property("volume"))
        #expect(!observers.hasMarkedProperties)
        observers.markAsChanged(.property("pause"))
        #expect(observers.takeChanges { _ in false } == [], "the value of the marked property is unchanged")
        observers.markAsChanged(.any)
        observers.markAsChanged(.property("pause"))
        #expect(observers.takeChanges { _ in true } == [Change(id: 1, name: "pause", value: true)])
    }

    @Test func anUnavailablePropertyIsReportedOnceAndWhenItChanges() throws {
        var observers = PropertyObservers(capacity: 4)
        try observers.observe(id: 2, name: "time-pos", sendsText: true)
        #expect(observers.takeChanges { _ in nil } == [Change(id: 2, name: "time-pos", value: nil)])
        observers.markAsChanged(.any)
        #expect(observers.takeChanges { _ in nil } == [])
        observers.markAsChanged(.any)
        #expect(observers.takeChanges { _ in 1.0 } == [Change(id: 2, name: "time-pos", value: "1.000000")])
        observers.markAsChanged(.any)
        #expect(observers.takeChanges { _ in nil } == [Change(id: 2, name: "time-pos", value: nil)])
        observers.markAsChanged(.any)
        #expect(observers.takeChanges { _ in .double(.nan) }.count == 1)
        observers.markAsChanged(.any)
        #expect(observers.takeChanges { _ in .double(.nan) } == [])
    }

    @Test func observersMayHaveTheSameIDOrPropertyName() throws {
        var observers = PropertyObservers(capacity: 3)
        try observers.observe(id: 1, name: "a", sendsText: false)
        try observers.observe(id: 1, name: "b", sendsText: false)
        try observers.observe(id: 2, name: "a", sendsText: true)
        #expect(throws: IPCError.outOfMemory) { try observers.observe(id: 3, name: "c", sendsText: false) }
        var readNames: [String] = []
        let changes = observers.takeChanges { name in
            readNames.append(name)
            return name == "a" ? 5 : nil
        }
        #expect(
            changes == [
                Change(id: 1, name: "a", value: 5), Change(id: 1, name: "b", value: nil),
                Change(id: 2, name: "a", value: "5"),
            ])
        #expect(readNames == ["a", "b"], "each property is read once, unavailable ones too")
        observers.unobserve(id: 1)
        observers.markAsChanged(.any)
        #expect(observers.takeChanges { _ in 6 } == [Change(id: 2, name: "a", value: "6")])
    }

    @Test(
        arguments: [
            (1, JSONValue.bool(false), #"{"event":"property-change","id":1,"name":"p","data":false}"#),
            (0, .bool(true), #"{"event":"property-change","name":"p","data":true}"#),
            (-4, nil, #"{"event":"property-change","id":-4,"name":"p"}"#),
        ] as [(Int64, JSONValue?, String)])
    func changesAreEncoded(_ id: Int64, _ value: JSONValue?, _ expected: String) {
        var bytes: [UInt8] = []
        PropertyObservers.Change(id: id, name: "p", value: value).encode(into: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == expected + "\n")
    }

    /// Returns the names that are read again after a mark, of observers with different changes.
    private func namesRead(after mark: PropertyObservers.Mark) throws -> [String] {
        var observers = PropertyObservers(capacity: 9)
        let names: [(String, PropertyChanges)] = [
            ("playlist", .withEvents), ("playlist/0/filename", .withEvents), ("playlist-pos", .withEvents),
            ("time-pos", .withPlayback), ("pid", .never),
        ]
        for (name, changes) in names { try observers.observe(id: 1, name: name, sendsText: false, changes: changes) }
        _ = observers.takeChanges { _ in 1 }
        observers.markAsChanged(mark)
        var readNames: [String] = []
        _ = observers.takeChanges { name in
            readNames.append(name)
            return 1
        }
        return readNames
    }

    @Test("a change of a property affects the property and its parts, but no property with a similar name")
    func changeAffectsThePartsOfAProperty() throws {
        #expect(try namesRead(after: .property("playlist")) == ["playlist", "playlist/0/filename"])
        #expect(try namesRead(after: .property("playlist-pos")) == ["playlist-pos"])
        #expect(try namesRead(after: .property("pid")) == ["pid"])
        #expect(try namesRead(after: .property("play")) == [])
    }

    @Test("playback affects only properties that change with it, and other events all but constant properties")
    func marksAffectTheirProperties() throws {
        #expect(try namesRead(after: .playback) == ["time-pos"])
        #expect(try namesRead(after: .any) == ["playlist", "playlist/0/filename", "playlist-pos", "time-pos"])
    }

    @Test("only observers of properties that change with playback require updates while a file plays")
    func playbackIsObservedOnlyForItsProperties() throws {
        var observers = PropertyObservers(capacity: 2)
        try observers.observe(id: 1, name: "pid", sendsText: false, changes: .never)
        #expect(!observers.observesPlayback && observers.hasMarkedProperties)
        try observers.observe(id: 2, name: "time-pos", sendsText: false, changes: .withPlayback)
        #expect(observers.observesPlayback)
        observers.unobserve(id: 2)
        #expect(!observers.observesPlayback)
    }
}
