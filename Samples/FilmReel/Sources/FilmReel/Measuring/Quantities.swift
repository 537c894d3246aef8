import Foundation

extension Int {
    /// The text for a number of bytes, in megabytes.
    var megabytes: String { (Double(self) / 1_000_000).rounded(toPlaces: 1) + " MB" }
}

extension Double {
    /// Returns the text for the number with a fixed number of decimal places.
    func rounded(toPlaces places: Int) -> String { String(format: "%.\(places)f", self) }
}
