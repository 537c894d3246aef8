import CFFmpeg

/// A source of subtitle packets from a file. Used by one thread.
protocol SubtitlePacketSource: AnyObject {
    /// The parameters of the track's decoder.
    var parameters: CodecParameters { get }
    /// The fonts that the file carries.
    var fonts: [SubtitleFont] { get }
    /// Returns the next packet; nil at the end of the file.
    func next() throws(MediaError) -> Packet?
}

/// A pair of VobSub (DVD subtitle) files, read completely.
final class VobSubFile: SubtitlePacketSource {
    let parameters: CodecParameters
    var fonts: [SubtitleFont] { [] }
    /// The parsed index file (`film.idx`).
    private let index: VobSub
    /// The content of the picture file (`film.sub`).
    private let pictures: [UInt8]
    /// The position of the next picture in the entries of ``index``.
    private var nextEntryIndex = 0

    init(index text: [UInt8], pictures: [UInt8]) throws(MediaError) {
        guard let index = VobSub(index: String(decoding: text, as: UTF8.self)) else {
            throw MediaError(.notMedia, "is not a VobSub index")
        }
        guard !index.entries.isEmpty else { throw MediaError(.notMedia, "has no subtitles") }
        guard
            let parameters = CodecParameters(
                subtitles: AV_CODEC_ID_DVD_SUBTITLE, header: index.header,
                timeBase: TimeBase(AVRational(num: 1, den: 1000)))
        else {
            throw MediaError(.outOfMemory, "no memory for a decoder")
        }
        (self.index, self.pictures, self.parameters) = (index, pictures, parameters)
    }

    /// Returns the packet of the next picture; nil at the end of the file. Skips damaged pictures.
    func next() throws(MediaError) -> Packet? {
        while nextEntryIndex < index.entries.count {
            defer { nextEntryIndex += 1 }
            guard let bytes = index.picture(index.entries[nextEntryIndex], in: pictures) else { continue }
            guard let packet = Packet(), av_new_packet(packet.pointer, Int32(clamping: bytes.count)) >= 0,
                let packetBytes = packet.pointer.pointee.data
            else {
                throw MediaError(.outOfMemory, "no memory for a packet")
            }
            packetBytes.update(from: bytes, count: bytes.count)
            packet.pointer.pointee.pts = index.entries[nextEntryIndex].time
            return packet
        }
        return nil
    }
}
