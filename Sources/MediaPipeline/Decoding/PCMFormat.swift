/// The audio format that the device accepts; decoded audio is converted to it.
package struct PCMFormat: Sendable, Equatable {
    /// The sample rate: audio frames per second.
    package var rate: Int
    /// The number of channels.
    package var channels: Int
    /// The speaker of each channel, in sample order, as bit numbers of the WAVEFORMATEXTENSIBLE channel mask (0 front
    /// left, 1 front right, 2 front centre, 3 low frequencies, 4 and 5 back, 9 and 10 side …). Empty: the default
    /// layout for the number of channels.
    package var speakers: [UInt8]

    package init(rate: Int, channels: Int, speakers: [UInt8] = []) {
        self.rate = rate
        self.channels = channels
        let isValid = speakers.count == channels && Set(speakers).count == channels && speakers.allSatisfy { $0 < 18 }
        self.speakers = isValid ? speakers : []
    }
}
