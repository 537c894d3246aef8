import Glibc
import TestSupport
import Testing
import WireFormat

@testable import CompositorProtocol

@Suite struct MessageCodingTests {
    /// Returns the decoded message; nil if the bytes are malformed. Checks that the message encodes to the same bytes.
    private func clientMessage(_ bytes: [UInt8]) -> ClientMessage? {
        guard let message = try? ClientMessage(decoding: bytes) else { return nil }
        // `#expect` would cost more than decoding, and this method is called millions of times.
        if case .playback = message {
            // The decoder clamps playback times, so the bytes may differ.
            if (try? ClientMessage(decoding: message.encoded)) != message {
                Issue.record("\(message) changes when it is encoded and decoded again")
            }
        } else if message.encoded != bytes {
            Issue.record("\(message) has other bytes than \(bytes)")
        }
        return message
    }

    /// Returns the decoded message; nil if the bytes are malformed. Checks that the message encodes to the same bytes.
    private func serverMessage(_ bytes: [UInt8]) -> ServerMessage? {
        guard let message = try? ServerMessage(decoding: bytes) else { return nil }
        // `#expect` would cost more than decoding, and this method is called millions of times.
        if message.encoded != bytes { Issue.record("\(message) has other bytes than \(bytes)") }
        return message
    }

    /// Returns the encoded sample messages of both directions.
    private func encodedSamples() throws -> [[UInt8]] {
        try MessageSamples.clientMessages().map(\.encoded) + MessageSamples.serverMessages.map(\.encoded)
    }

    @Test func everyMessageRoundTrips() throws {
        for message in try MessageSamples.clientMessages() {
            #expect(try ClientMessage(decoding: message.encoded) == message)
        }
        for message in MessageSamples.serverMessages {
            #expect(try ServerMessage(decoding: message.encoded) == message)
        }
    }

    @Test func everyMessageIsBelowSizeLimit() throws {
        let longText = String(repeating: "x", count: 100_000)
        #expect(
            ClientMessage.openSession(session: 1, surface: .x11(display: longText, authority: longText)).encoded.count
                <= WireLimits.messageBytes)
        #expect(ServerMessage.sessionFailed(session: 1, reason: longText).encoded.count <= WireLimits.messageBytes)
        for bytes in try encodedSamples() { #expect(bytes.count <= WireLimits.messageBytes) }
    }

    @Test func truncatedMessagesAreRejected() throws {
        for message in try MessageSamples.clientMessages() {
            for length in message.encoded.indices {
                #expect(clientMessage(Array(message.encoded.prefix(length))) == nil, "\(message) cut to \(length)")
            }
        }
        for message in MessageSamples.serverMessages {
            for length in message.encoded.indices {
                #expect(serverMessage(Array(message.encoded.prefix(length))) == nil, "\(message) cut to \(length)")
            }
        }
    }

    @Test func trailingBytesAreRejected() throws {
        for message in try MessageSamples.clientMessages() {
            #expect(clientMessage(message.encoded + [0]) == nil, "\(message)")
        }
        for message in MessageSamples.serverMessages {
            #expect(serverMessage(message.encoded + [0]) == nil, "\(message)")
        }
    }

    /// The bytes that replace each byte of a message: all enumeration values and the limits of signed and unsigned
    /// bytes, or all 256 values if `SWIFTPLAY_LONG_TESTS` is set.
    private static let replacementBytes: [UInt8] =
        getenv("SWIFTPLAY_LONG_TESTS") == nil ? Array(0...31) + [126, 127, 128, 254, 255] : Array(0...255)

    @Test func corruptBytesGiveAnotherMessageOrAnError() throws {
        for bytes in try encodedSamples() {
            for index in bytes.indices {
                for value in Self.replacementBytes {
                    var corruptBytes = bytes
                    corruptBytes[index] = value
                    _ = clientMessage(corruptBytes)
                    _ = serverMessage(corruptBytes)
                }
            }
        }
    }

    @Test func invalidOrientationAndEmptyCropAreRejected() throws {
        let validBytes = ClientMessage.format(session: 1, number: 63, format: try MessageSamples.format()).encoded
        #expect(clientMessage(validBytes) != nil)
        // The encoded frame format ends with the orientation (one byte), and the crop's left, top, right and bottom
        // (two bytes each).
        for (distanceFromEnd, value) in [(9, 8), (9, 255), (8, 2), (7, 4), (5, 60), (1, 2)] as [(Int, UInt8)] {
            var bytes = validBytes
            bytes[bytes.count - distanceFromEnd] = value
            #expect(clientMessage(bytes) == nil, "\(value) at byte \(distanceFromEnd) from the end")
        }
    }

    @Test func randomBytesDoNotCrashDecoder() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<(getenv("SWIFTPLAY_LONG_TESTS") == nil ? 25_000 : 1_000_000) {
            var bytes = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            // Half of the random messages begin with a valid message number, so that all bytes are decoded.
            if !bytes.isEmpty, Bool.random(using: &generator) { bytes[0] = UInt8.random(in: 1...25, using: &generator) }
            _ = clientMessage(bytes)
            _ = serverMessage(bytes)
        }
    }

    @Test func unknownMessageNumbersAreRejected() throws {
        for messageNumber in [0, 25, 255] as [UInt8] { #expect(clientMessage([messageNumber, 1, 0, 0, 0]) == nil) }
        for messageNumber in [0, 26, 255] as [UInt8] { #expect(serverMessage([messageNumber, 1, 0, 0, 0]) == nil) }
    }

    @Test("out-of-range times of older libraries are clamped")
    func outOfRangePlaybackTimesAreClamped() {
        func decodedState(position: Int64, duration: Int64) -> PlaybackState? {
            var writer = MessageWriter()
            writer.write(UInt8(9))
            writer.write(UInt32(1))
            writer.write(false)
            writer.write(position)
            writer.write(duration)
            guard case .playback(_, let state)? = clientMessage(writer.bytes) else { return nil }
            return state
        }
        let limit = PlaybackState.timeLimit
        for (sentTime, position, duration) in [
            (Int64.min, -limit, 0), (-limit - 1, -limit, 0), (-1, -1, 0), (0, 0, 0), (limit, limit, limit),
            (limit + 1, limit, limit),
            (.max, limit, limit),
        ] {
            let state = decodedState(position: sentTime, duration: sentTime)
            #expect(state?.position == position && state?.duration == duration, "\(sentTime)")
        }
    }

    @Test func frameFormatOutOfBoundsIsRejected() throws {
        let bytes = ClientMessage.format(session: 1, number: 1, format: try MessageSamples.format()).encoded
        // The message consists of its kind, the session number, the format number, the pixel format, width, height,
        // plane count, and the offset and stride of each plane.
        for (offset, size) in [(9, 2), (11, 4), (15, 4), (20, 4), (24, 4), (28, 4), (32, 4)] {
            var corruptBytes = bytes
            for index in offset..<(offset + size) { corruptBytes[index] = 0xFF }
            #expect(clientMessage(corruptBytes) == nil, "at \(offset)")
        }
        for planeCount in [0, 2, 4, 255] as [UInt8] {
            var corruptBytes = bytes
            corruptBytes[19] = planeCount
            #expect(clientMessage(corruptBytes) == nil, "\(planeCount) planes")
        }
    }

    @Test func messagesCarryTheirNumberOfFileDescriptors() throws {
        for message in try MessageSamples.clientMessages() {
            let expected =
                switch message {
                case .openSession(_, .terminal): 5
                case .openSession: 3
                case .addSlot, .overlay, .audio(_, .open), .snapshot(.picture): 1
                default: 0
                }
            #expect(message.descriptorCount == expected)
            #expect(message.descriptorCount <= WireLimits.descriptorCount)
        }
    }
}
