/// The form that sound is brought into: what the device takes.
package struct PCMFormat: Sendable, Equatable {
    /// Frames per second.
    package var rate: Int
    package var channels: Int
    /// Which speaker each channel is for, in the order of the samples, as numbers of WAVEFORMATEXTENSIBLE's mask (0
    /// front left, 1 front right, 2 front centre, 3 low frequencies, 4 and 5 back, 9 and 10 side …). Empty: what is
    /// usual for so many channels.
    package var speakers: [UInt8]

    package init(rate: Int, channels: Int, speakers: [UInt8] = []) {
        self.rate = rate
        self.channels = channels
        let isSound = speakers.count == channels && Set(speakers).count == channels && speakers.allSatisfy { $0 < 18 }
        self.speakers = isSound ? speakers : []
    }
}
