import TestSupport
import Testing
import WireFormat

@testable import BackgroundProtocol

@Suite struct ResumeTokenTests {
    private let token = ResumeToken(task: 7, address: "https://example.org/film.mkv")

    @Test func aProgramGetsBackWhatItHasStored() throws {
        #expect(try ResumeToken(decoding: token.encoded) == token)
    }

    @Test func theAddressBelongsToTheToken() {
        #expect(token != ResumeToken(task: 7, address: "https://example.org/other.mkv"))
    }

    @Test func everyChangedBitIsRefused() {
        let bytes = token.encoded
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: MalformedMessage.self) { try ResumeToken(decoding: changed) }
        }
    }

    @Test func everyOtherLengthIsRefused() {
        let bytes = token.encoded
        for count in 0..<bytes.count {
            #expect(throws: MalformedMessage.self) { try ResumeToken(decoding: Array(bytes.prefix(count))) }
        }
        #expect(throws: MalformedMessage.self) { try ResumeToken(decoding: bytes + [0]) }
    }
}
