import CFFmpeg

/// The build number of the encoder x264. The encoder writes the number into the first packet of a stream, as text.
///
/// FFmpeg's H.264 decoder reproduces deviations of old builds from the standard (4:4:4 pictures of builds before 151,
/// for example). A decoder that starts later in the stream does not see the text: without the number, its pictures
/// would differ.
enum X264Build {
    /// The text before the number, in an SEI message of unregistered user data.
    private static let prefix = Array("x264 - core ".utf8)
    /// The number of bytes of a packet that are searched. x264 writes the text at the start.
    private static let searchedByteCount = 4096

    /// Returns the build number in a keyframe's packet; nil if there is none.
    static func number(in packet: Packet) -> Int32? {
        guard packet.isKeyframe, let data = packet.pointer.pointee.data else { return nil }
        let byteCount = min(Int(max(0, packet.pointer.pointee.size)), searchedByteCount)
        return number(in: UnsafeBufferPointer(start: data, count: byteCount))
    }

    /// Returns the build number after the first occurrence of the text; nil if there is none.
    static func number(in bytes: UnsafeBufferPointer<UInt8>) -> Int32? {
        guard bytes.count > prefix.count else { return nil }
        for start in 0..<(bytes.count - prefix.count) where bytes[start] == prefix[0] {
            guard bytes[start..<start + prefix.count].elementsEqual(prefix) else { continue }
            let digits = bytes[(start + prefix.count)...].prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            return Int32(String(decoding: digits, as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
        }
        return nil
    }
}
