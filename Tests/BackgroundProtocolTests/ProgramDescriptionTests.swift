import Testing
import WireFormat

@testable import BackgroundProtocol

@Suite struct ProgramDescriptionTests {
    /// Decodes the encoded form of a description.
    private func decoded(_ program: ProgramDescription) throws -> ProgramDescription {
        var writer = MessageWriter()
        program.write(to: &writer)
        var reader = MessageReader(writer.bytes)
        return try ProgramDescription(from: &reader)
    }

    @Test(arguments: ["", "a\nb", "\u{7F}", String(repeating: "x", count: 256)])
    func invalidNamesAreRejected(_ name: String) {
        #expect(throws: MalformedMessage.self) { try decoded(ProgramDescription(name: name)) }
    }

    @Test func aZeroByteInAnArgumentIsRejected() {
        #expect(throws: MalformedMessage.self) {
            try decoded(ProgramDescription(name: "a", launchArguments: ["a\0b"]))
        }
    }

    @Test func tooManyArgumentsAreRejected() throws {
        let arguments = [String](repeating: "", count: ClientLimits.argumentCount)
        #expect(try decoded(ProgramDescription(name: "a", launchArguments: arguments)).launchArguments == arguments)
        #expect(throws: MalformedMessage.self) {
            try decoded(ProgramDescription(name: "a", launchArguments: arguments + [""]))
        }
    }

    @Test func aLongArgumentIsRejected() {
        let argument = String(repeating: "x", count: ClientLimits.argumentBytes + 1)
        #expect(throws: MalformedMessage.self) {
            try decoded(ProgramDescription(name: "a", launchArguments: [argument]))
        }
    }
}
