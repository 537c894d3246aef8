import Testing

@testable import SwiftPlayCLI

@Suite struct PropertyPathTests {
    private let list: JSONValue = [["name": "a", "sizes": [1, 2]], ["name": "b"]]

    @Test(
        arguments: [
            ("", nil), ("count", 2), ("0/name", "a"), ("1/name", "b"), ("0/sizes/1", 2), ("0/sizes/count", 2),
        ] as [(String, JSONValue?)])
    func aPathSelectsAPartOfAValue(_ path: String, _ value: JSONValue?) throws {
        let components = path.split(separator: "/").map(String.init)[...]
        #expect(try PropertyPath.value(at: components, in: list) == value ?? list)
    }

    @Test(arguments: [
        ("2", IPCError.propertyNotFound), ("-1", .propertyNotFound), ("x", .propertyNotFound),
        ("0/size", .propertyNotFound), ("count/x", .propertyNotFound), ("0/name/x", .propertyError),
        ("99999999999999999999", .propertyNotFound),
    ])
    func aPathToNothingFails(_ path: String, _ error: IPCError) {
        let components = path.split(separator: "/").map(String.init)[...]
        #expect(throws: error) { try PropertyPath.value(at: components, in: list) }
    }

    @Test(
        arguments: [
            (["by-key", "TITLE"], "A"), (["title"], "A"), (["Artist"], "B"), (["list", "count"], 3),
            (["list", "1", "key"], "artist"), (["list", "1", "value"], "B"), (["by-key", "a/b"], "C"),
            ([], ["title": "A", "artist": "B", "a/b": "C"]),
        ] as [([String], JSONValue)])
    func tagsAreFoundByKeyAndByIndex(_ path: [String], _ value: JSONValue) throws {
        let tags = [("title", "A"), ("artist", "B"), ("a/b", "C")].map { (key: $0.0, value: $0.1) }
        #expect(try PropertyPath.tagValue(at: path[...], in: tags) == value)
        #expect(throws: IPCError.propertyNotFound) { try PropertyPath.tagValue(at: ["album"], in: tags) }
        #expect(throws: IPCError.propertyNotFound) { try PropertyPath.tagValue(at: ["list", "3"], in: tags) }
    }
}
