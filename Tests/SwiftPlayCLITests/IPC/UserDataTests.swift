import Testing

@testable import SwiftPlayCLI

@Suite struct UserDataTests {
    @Test func valuesAreStoredBelowAnyPath() throws {
        var data = UserData()
        try data.set(3, at: ["remote", "count"])
        try data.set(["x": true], at: ["other"])
        #expect(try data.value(at: []) == ["remote": ["count": 3], "other": ["x": true]])
        #expect(try data.value(at: ["other", "x"]) == true)
        try data.remove(at: ["remote", "count"])
        #expect(try data.value(at: ["remote"]) == [:])
        #expect(throws: IPCError.propertyNotFound) { try data.remove(at: ["remote", "count"]) }
        try data.remove(at: [])
        #expect(data.root == [:])
    }

    @Test func invalidPathsAndTooLargeValuesChangeNothing() throws {
        var data = UserData()
        try data.set(1, at: ["a"])
        let before = data.root
        #expect(throws: IPCError.propertyError) { try data.set(2, at: ["a", "b"]) }
        #expect(throws: IPCError.propertyError) { try data.set(2, at: []) }
        #expect(throws: IPCError.propertyError) { try data.set(2, at: [""]) }
        let longPath = Array(repeating: "a", count: UserData.depthLimit + 1)
        #expect(throws: IPCError.propertyError) { try data.set(2, at: longPath[...]) }
        let largeText = JSONValue.string(String(repeating: "x", count: UserData.byteLimit))
        #expect(throws: IPCError.outOfMemory) { try data.set(largeText, at: ["b"]) }
        #expect(data.root == before)
    }

    @Test("a path and the values may reach their limits exactly")
    func limitsAreInclusive() throws {
        var data = UserData()
        let path = Array(repeating: "a", count: UserData.depthLimit)
        try data.set(1, at: path[...])
        #expect(try data.value(at: path[...]) == 1)
        try data.remove(at: [])
        // The object with one empty text is `{"b":""}`.
        let text = String(repeating: "x", count: UserData.byteLimit - 8)
        try data.set(.string(text), at: ["b"])
        #expect(throws: IPCError.outOfMemory) { try data.set(.string(text + "x"), at: ["b"]) }
        #expect(throws: IPCError.outOfMemory) { try data.set(1, at: ["c"]) }
        #expect(try (data.value(at: ["b"]) == .string(text)) as Bool)
    }

    @Test("an empty path replaces all values with an object")
    func emptyPathReplacesAllValues() throws {
        var data = UserData()
        try data.set(1, at: ["a"])
        try data.set(["b": 2], at: [])
        #expect(data.root == ["b": 2])
        try data.set(.null, at: ["b"])
        #expect(try data.value(at: ["b"]) == .null, "null is a value")
    }
}
