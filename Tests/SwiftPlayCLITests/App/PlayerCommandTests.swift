import SwiftPlayKit
import Testing

@testable import SwiftPlayCLI

@Suite struct PlayerCommandTests {
    private let target: PlayerTarget

    init() throws {
        target = PlayerTarget(
            player: try .silent(), layer: nil,
            settings: try PlayOptions.parse(["film.mkv"]).settings())
    }

    /// Returns a command that replies with the number of arguments.
    private static func command(_ parameters: String) -> PlayerCommand {
        PlayerCommand("test", parameters) { _, arguments in .int(Int64(arguments.values.count)) }
    }

    @Test func parametersHaveANameATypeAndAMarkOfOptionalOnes() {
        let command = Self.command("url:String index:Integer? words:String*")
        #expect(
            command.parameters == [
                PlayerCommand.Parameter(name: "url", type: "String", isOptional: false),
                PlayerCommand.Parameter(name: "index", type: "Integer", isOptional: true),
                PlayerCommand.Parameter(name: "words", type: "String", isOptional: true),
            ])
        #expect(command.isVariadic && !Self.command("url:String index:Integer?").isVariadic)
        #expect(Self.command("").parameters == [])
        #expect(
            Self.command("index:Integer?").description == [
                "name": "test", "vararg": false,
                "args": [["name": "index", "type": "Integer", "optional": true]],
            ])
    }

    @Test(
        arguments: [
            ("", []), ("a:String", ["x"]), ("a:String b:String?", ["x"]), ("a:String b:String?", ["x", "y"]),
            ("a:String? b:String?", [.null, "y"]), ("a:String*", []), ("a:String*", ["x", "y", "z"]),
            ("a:String b:String*", ["x", "y", "z"]),
        ] as [(String, [JSONValue])])
    func aCommandRunsWithItsArguments(_ parameters: String, _ values: [JSONValue]) throws {
        #expect(try Self.command(parameters).run(target, values) == .int(Int64(values.count)))
    }

    @Test(
        arguments: [
            ("", ["x"]), ("a:String", []), ("a:String", [.null]), ("a:String", ["x", "y"]),
            ("a:String b:String?", ["x", "y", "z"]), ("a:String b:String", ["x"]), ("a:String b:String*", []),
        ] as [(String, [JSONValue])])
    func aWrongNumberOfArgumentsIsRefused(_ parameters: String, _ values: [JSONValue]) {
        #expect(throws: IPCError.invalidParameter) { try Self.command(parameters).run(target, values) }
    }
}

@Suite struct CommandArgumentsTests {
    private let arguments = CommandArguments(values: ["word", 1.5, .null, "7", 2_000_000_000, "a+b", true])

    @Test func valuesHaveTheRequestedType() throws {
        #expect(try arguments.text(0) == "word" && arguments.number(1) == 1.5 && arguments.integer(3) == 7)
        #expect(try arguments.flags(5, known: ["a", "b", "c"]) == ["a", "b"])
        #expect(try arguments.choice(0, of: ["other", "word"]) == "word")
        #expect(try arguments.location(0) == "word")
    }

    @Test(arguments: [2, 7])
    func anOmittedArgumentHasItsDefault(_ index: Int) throws {
        #expect(try arguments.text(index, default: "x") == "x" && arguments.number(index, default: 3) == 3)
        #expect(try arguments.integer(index, default: 4) == 4 && arguments.choice(index, of: ["a", "b"]) == "a")
        #expect(try arguments.flags(index, known: ["a"]) == [])
        #expect(throws: IPCError.invalidParameter) { try arguments.text(index) }
        #expect(throws: IPCError.invalidParameter) { try arguments.number(index) }
        #expect(throws: IPCError.invalidParameter) { try arguments.integer(index) }
        #expect(throws: IPCError.invalidParameter) { try arguments.location(index) }
    }

    @Test func aValueOfAnotherTypeIsRefused() {
        #expect(throws: IPCError.invalidParameter) { try arguments.text(1) }
        #expect(throws: IPCError.invalidParameter) { try arguments.number(0) }
        #expect(throws: IPCError.invalidParameter) { try arguments.number(6) }
        #expect(throws: IPCError.invalidParameter) { try arguments.integer(1) }
        #expect(throws: IPCError.invalidParameter) { try arguments.integer(4) }
        #expect(throws: IPCError.invalidParameter) { try arguments.choice(0, of: ["other"]) }
        #expect(throws: IPCError.invalidParameter) { try arguments.flags(5, known: ["a"]) }
        #expect(throws: IPCError.invalidParameter) { try arguments.location(6) }
    }
}
