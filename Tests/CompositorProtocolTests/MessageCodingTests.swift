import Glibc
import TestSupport
import Testing
import WireFormat

@testable import CompositorProtocol

@Suite struct MessageCodingTests {
    /// What the bytes mean; nil when they mean nothing. Whatever is understood must say the same when it is said again.
    private func client(_ bytes: [UInt8]) -> ClientMessage? {
        guard let message = try? ClientMessage(decoding: bytes) else { return nil }
        // Called millions of times, and `#expect` costs more than decoding.
        if case .playback = message {
            // Its times are brought within bounds.
            if (try? ClientMessage(decoding: message.encoded)) != message {
                Issue.record("\(message) changes when it is coded again")
            }
        } else if message.encoded != bytes {
            Issue.record("\(message) has other bytes than \(bytes)")
        }
        return message
    }

    private func server(_ bytes: [UInt8]) -> ServerMessage? {
        guard let message = try? ServerMessage(decoding: bytes) else { return nil }
        // Called millions of times, and `#expect` costs more than decoding.
        if message.encoded != bytes { Issue.record("\(message) has other bytes than \(bytes)") }
        return message
    }

    private func samples() throws -> [[UInt8]] {
        try MessageSamples.client().map(\.encoded) + MessageSamples.server.map(\.encoded)
    }

    @Test func everyMessageRoundTrips() throws {
        for message in try MessageSamples.client() { #expect(try ClientMessage(decoding: message.encoded) == message) }
        for message in MessageSamples.server { #expect(try ServerMessage(decoding: message.encoded) == message) }
    }

    @Test func everyMessageIsBelowSizeLimit() throws {
        let long = String(repeating: "x", count: 100_000)
        #expect(
            ClientMessage.openSession(session: 1, surface: .x11(display: long, authority: long)).encoded.count
                <= WireLimits.messageBytes)
        #expect(ServerMessage.sessionFailed(session: 1, reason: long).encoded.count <= WireLimits.messageBytes)
        for bytes in try samples() { #expect(bytes.count <= WireLimits.messageBytes) }
    }

    @Test func truncatedMessagesAreRejected() throws {
        for message in try MessageSamples.client() {
            for count in message.encoded.indices {
                #expect(client(Array(message.encoded.prefix(count))) == nil, "\(message) cut to \(count)")
            }
        }
        for message in MessageSamples.server {
            for count in message.encoded.indices {
                #expect(server(Array(message.encoded.prefix(count))) == nil, "\(message) cut to \(count)")
            }
        }
    }

    @Test func trailingBytesAreRejected() throws {
        for message in try MessageSamples.client() { #expect(client(message.encoded + [0]) == nil, "\(message)") }
        for message in MessageSamples.server { #expect(server(message.encoded + [0]) == nil, "\(message)") }
    }

    /// Every number that an enumeration has and the edges of signed and unsigned bytes; all values with
    /// `SWIFTPLAY_LONG_TESTS` set.
    private static let corruptBytes: [UInt8] =
        getenv("SWIFTPLAY_LONG_TESTS") == nil ? Array(0...31) + [126, 127, 128, 254, 255] : Array(0...255)

    @Test func corruptBytesGiveAnotherMessageOrAnError() throws {
        for bytes in try samples() {
            for index in bytes.indices {
                for value in Self.corruptBytes {
                    var corrupt = bytes
                    corrupt[index] = value
                    _ = client(corrupt)
                    _ = server(corrupt)
                }
            }
        }
    }

    @Test func emptyCropIsRejected() throws {
        let sound = ClientMessage.format(session: 1, number: 63, format: try MessageSamples.format()).encoded
        #expect(client(sound) != nil)
        // The last nine bytes: orientation, then left, top, right and bottom.
        for (place, value) in [(9, 8), (9, 255), (8, 2), (7, 4), (5, 60), (1, 2)] as [(Int, UInt8)] {
            var bytes = sound
            bytes[bytes.count - place] = value
            #expect(client(bytes) == nil, "\(value) at the \(place)th from the end")
        }
    }

    @Test func randomBytesDoNotCrashDecoder() {
        var random = SeededGenerator.printingSeed()
        for _ in 0..<100_000 {
            var bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
            // Most begin like a message, so that more than the first byte is looked at.
            if !bytes.isEmpty, Bool.random(using: &random) { bytes[0] = UInt8.random(in: 1...21, using: &random) }
            _ = client(bytes)
            _ = server(bytes)
        }
    }

    @Test func invalidValuesAreRejected() throws {
        for kind in [0, 18, 255] as [UInt8] { #expect(client([kind, 1, 0, 0, 0]) == nil) }
        for kind in [0, 14, 255] as [UInt8] { #expect(server([kind, 1, 0, 0, 0]) == nil) }
    }

    @Test("out-of-range times of older libraries are clamped")
    func timesOutOfBounds() {
        func received(position: Int64, duration: Int64) -> PlaybackFacts? {
            var w = MessageWriter()
            w.write(UInt8(9))
            w.write(UInt32(1))
            w.write(false)
            w.write(position)
            w.write(duration)
            guard case .playback(_, let facts)? = client(w.bytes) else { return nil }
            return facts
        }
        let limit = PlaybackFacts.timeLimit
        for (sent, position, duration) in [
            (Int64.min, -limit, 0), (-limit - 1, -limit, 0), (-1, -1, 0), (0, 0, 0), (limit, limit, limit),
            (limit + 1, limit, limit),
            (.max, limit, limit),
        ] {
            let facts = received(position: sent, duration: sent)
            #expect(facts?.position == position && facts?.duration == duration, "\(sent)")
        }
    }

    @Test func formatOutOfBoundsIsRejected() throws {
        let bytes = ClientMessage.format(session: 1, number: 1, format: try MessageSamples.format()).encoded
        // After kind, session and number: pixel format, width, height, planes, each plane's offset and stride.
        for (offset, size) in [(9, 2), (11, 4), (15, 4), (20, 4), (24, 4), (28, 4), (32, 4)] {
            var corrupt = bytes
            for index in offset..<(offset + size) { corrupt[index] = 0xFF }
            #expect(client(corrupt) == nil, "at \(offset)")
        }
        for count in [0, 2, 4, 255] as [UInt8] {
            var corrupt = bytes
            corrupt[19] = count
            #expect(client(corrupt) == nil, "\(count) planes")
        }
    }

    @Test func messagesHaveTheirNumberOfDescriptors() throws {
        for message in try MessageSamples.client() {
            let expected =
                switch message {
                case .openSession(_, .terminal): 5
                case .openSession: 3
                case .slot, .overlay, .audio(_, .open): 1
                default: 0
                }
            #expect(message.descriptorCount == expected)
            #expect(message.descriptorCount <= WireLimits.descriptors)
        }
    }
}
