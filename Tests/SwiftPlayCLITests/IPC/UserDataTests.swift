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
}
