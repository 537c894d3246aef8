import CFFmpeg

/// A source of subtitle packets from a file. Used by one thread.
protocol SubtitlePackets: AnyObject {
    var parameters: CodecParameters { get }
    var fonts: [SubtitleFont] { get }
    /// Returns the next packet; nil at the end.
    func next() throws(MediaError) -> Packet?
}

/// A pair of VobSub (DVD subtitle) files, read completely.
final class VobSubFile: SubtitlePackets {
    let parameters: CodecParameters
    var fonts: [SubtitleFont] { [] }
    private let index: VobSub
    private let pictures: [UInt8]
    private var entry = 0

    init(index text: [UInt8], pictures: [UInt8]) throws(MediaError) {
        guard let index = VobSub(index: String(decoding: text, as: UTF8.self)) else {
            throw MediaError(.notMedia, "is not a VobSub index")
        }
        guard !index.entries.isEmpty else { throw MediaError(.notMedia, "has no subtitles") }
        guard let parameters = CodecParameters(dvdHead: index.head, timeBase: TimeBase(AVRational(num: 1, den: 1000)))
        else {
            throw MediaError(.outOfMemory, "no memory for a decoder")
        }
        (self.index, self.pictures, self.parameters) = (index, pictures, parameters)
    }

    func next() throws(MediaError) -> Packet? {
        while entry < index.entries.count {
            defer { entry += 1 }
            guard let bytes = index.picture(index.entries[entry], in: pictures) else { continue }
            guard let packet = Packet(), av_new_packet(packet.pointer, Int32(clamping: bytes.count)) >= 0,
                let target = packet.pointer.pointee.data
            else {
                throw MediaError(.outOfMemory, "no memory for a packet")
            }
            target.update(from: bytes, count: bytes.count)
            packet.pointer.pointee.pts = index.entries[entry].time
            return packet
        }
        return nil
    }
}
