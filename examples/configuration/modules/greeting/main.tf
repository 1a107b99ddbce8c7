variable "name" {
  type = string
}

resource "terraform_data" "greeting" {
  input = "Hello, ${var.name}!"
}

output "text" {
  value = terraform_data.greeting.output
}
