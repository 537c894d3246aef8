import CFFmpeg

/// Recognises HEVC tracks whose rows of blocks can be decoded at the same time (wavefront parallel processing, ITU-T
/// H.265, 6.3.1 and `entropy_coding_sync_enabled_flag`), so that several threads decode one picture.
///
/// The picture parameter sets state it. Only those in the track's header are examined.
enum WavefrontCoding {
    /// Returns whether all pictures of a track are coded in this way. False if its header contains no parameter sets.
    static func isUsed(by parameters: AVCodecParameters) -> Bool {
        guard parameters.codec_id == AV_CODEC_ID_HEVC, let header = parameters.extradata else { return false }
        return isUsed(in: UnsafeBufferPointer(start: header, count: Int(max(0, parameters.extradata_size))))
    }

    /// Returns whether all pictures of a track with a header are coded in this way.
    static func isUsed(in header: UnsafeBufferPointer<UInt8>) -> Bool {
        let nalUnits = header.first == 1 ? unitsOfRecord(header) : unitsAfterStartCodes(header)
        // The NAL unit type 34 is a picture parameter set.
        let parameterSets = nalUnits.filter { $0.count > 2 && header[$0.lowerBound] >> 1 & 0x3f == 34 }
        return !parameterSets.isEmpty
            && parameterSets.allSatisfy { isUsed(inParameterSet: header[$0].dropFirst(2)) }
    }

    /// Returns the NAL units of a configuration record (`hvcC`, ISO/IEC 14496-15).
    private static func unitsOfRecord(_ record: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        var nalUnits: [Range<Int>] = [], position = 23
        guard record.count > position else { return [] }
        func number() -> Int? {
            guard position + 2 <= record.count else { return nil }
            defer { position += 2 }
            return Int(record[position]) << 8 | Int(record[position + 1])
        }
        for _ in 0..<record[22] {
            position += 1
            guard let unitCount = number() else { return nalUnits }
            for _ in 0..<unitCount {
                guard let length = number(), position + length <= record.count else { return nalUnits }
                nalUnits.append(position..<position + length)
                position += length
            }
        }
        return nalUnits
    }

    /// Returns the NAL units after start codes (annex B).
    private static func unitsAfterStartCodes(_ bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        let starts = bytes.indices.dropLast(3).filter { bytes[$0] == 0 && bytes[$0 + 1] == 0 && bytes[$0 + 2] == 1 }
        return starts.enumerated().map { number, start in
            start + 3..<(number + 1 < starts.count ? starts[number + 1] : bytes.count)
        }
    }

    /// Returns whether a picture parameter set (7.3.2.3.1), without the header of its NAL unit, states that rows can be
    /// decoded at the same time and that pictures have no tiles, with which FFmpeg uses one thread.
    private static func isUsed(inParameterSet bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var reader = ParameterSetReader(bytes)
        // Skip, in the order of the standard:
        reader.skipNumbers(2) // the numbers of the picture parameter set and of the sequence parameter set
        reader.skipBits(7) // dependent slices, output flag, extra bits, hidden signs, initialization of contexts
        reader.skipNumbers(3) // two counts of reference pictures, initial quantization
        reader.skipBits(2) // constrained intra prediction, skipped transforms
        if reader.bit() == 1 { reader.skipNumbers(1) } // the depth of changes of the quantization
        reader.skipNumbers(2) // quantization of Cb and Cr
        reader.skipBits(4) // offsets in slices, two kinds of weighted prediction, bypassed quantization
        let hasTiles = reader.bit(), isSynchronised = reader.bit()
        return hasTiles == 0 && isSynchronised == 1
    }
}
