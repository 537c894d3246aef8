import Foundation

extension Int {
    /// A number of bytes in millions.
    var megabytes: String { (Double(self) / 1_000_000).rounded(toPlaces: 1) + " MB" }
}

extension Double {
    /// The number with a fixed number of decimal places.
    func rounded(toPlaces places: Int) -> String { String(format: "%.\(places)f", self) }
}
